import { readHandOutCertificates, readHandOutVersions } from '../../certificates/hand-out.ts';
import type { ChangeFeed } from '../../database/change-feed.ts';
import type { Db } from '../../database/database.ts';
import { createFactMemory } from '../../database/fact-memory.ts';
import type { DeploymentRow } from '../../database/schema/certificate-tables.ts';
import { type AllowList, compileAllowList } from '../../http/request/ip-allow-list.ts';
import { suspendedOrganizations } from '../../organizations/organization.ts';
import { endOf, findTokensFor, type RegisteredToken } from '../../organizations/token-registry.ts';
import { createRecentlyUsed } from '../../runtime/recently-used.ts';
import { within } from '../../runtime/wait.ts';
import { findDeployments } from '../deployment-store.ts';
import type { DeploymentFacts, TokenFacts } from './access.ts';
import {
  bytesOf,
  type RetrievableCertificate,
  type RetrievableVersion,
  toRetrievable,
  toRetrievableVersion,
} from './prepared-version.ts';

export interface KnownToken extends TokenFacts<RetrievableVersion> {
  readonly organizationId: string;
  readonly deployment: KnownDeployment | undefined;
}

export interface KnownDeployment extends DeploymentFacts<RetrievableVersion> {
  readonly id: string;
  readonly certificateId: string;
  readonly requestsPerMinute: number | null;
  readonly createdAt: number;
}

/** What retrieval decides on. Tokens only name organizations and certificates, so a change of these is one deletion. */
export interface RetrievalFacts {
  /**
   * What memory holds of a token, by the hash of its text; undefined unless it holds all that the request needs.
   * @param version the one that the request asks for
   */
  find(hash: string, version: string | undefined): KnownToken | undefined;
  /**
   * The same, with what memory lacks read from the database.
   * @param suspect as `FactMemory.load` takes it
   * @throws BatcherFull, TooSlow
   */
  load(hash: string, version: string | undefined, suspect?: boolean): Promise<KnownToken | undefined>;
  /** Tokens in memory. */
  readonly size: number;
  /** What deployments and certificates take in memory, about. */
  readonly bytes: number;
}

export interface RetrievalFactsNeeds {
  readonly db: Db;
  readonly feed: ChangeFeed;
  readonly timeZone: string;
  /** Tokens, and certificates, kept at most. */
  readonly maxEntries: number;
  /** What certificates may take in memory, and tokens as much again. */
  readonly maxBytes: number;
}

/** What memory holds of a token. */
interface HeldToken extends Omit<TokenFacts, 'organizationSuspended' | 'deployment'> {
  readonly organizationId: string;
  /** Undefined: a token of another kind. */
  readonly deploymentId: string | undefined;
  readonly deployment: Omit<KnownDeployment, 'certificate'> | undefined;
  readonly bytes: number;
}

interface OrganizationFacts {
  readonly suspended: boolean;
}

interface SharedList {
  readonly list: AllowList;
  readonly bytes: number;
}

/** How long a request waits for facts that are not in memory. */
const loadLimitMs = 2_500;
const loadsAtOnce = 2;
/** Of the memory for certificates, the part for versions before the current ones. */
const formerShare = 1 / 4;
/** About what a token with its deployment, an allow-list, and each entry of one take. */
const bytesOfToken = 500;
const bytesOfList = 300;
const bytesOfEntry = 64;
/** Allow-lists that are shared with deployments read later. */
const sharedLists = { maxEntries: 10_000, maxBytes: 8 * 2 ** 20 };

export function createRetrievalFacts(needs: RetrievalFactsNeeds): RetrievalFacts {
  const { db, feed, timeZone, maxEntries, maxBytes } = needs;
  /** By their text: many deployments have the same one, the networks of one site. */
  const lists = createRecentlyUsed<SharedList>(sharedLists);

  function listOf(text: string): SharedList {
    let shared = lists.get(text);
    if (shared === undefined) {
      const entries = JSON.parse(text) as string[];
      shared = { list: compileAllowList(entries), bytes: bytesOfList + bytesOfEntry * entries.length };
      lists.set(text, shared, shared.bytes);
    }
    return shared;
  }

  function toHeldToken(token: RegisteredToken, row: DeploymentRow | undefined): HeldToken {
    const ofDeployment = token.kind === 'deployment';
    const list = row === undefined ? undefined : listOf(row.allow_list);
    return {
      organizationId: token.organizationId,
      deploymentId: ofDeployment ? token.subjectId : undefined,
      // A deployment's token whose deployment is gone stands for nothing.
      disabled: ofDeployment && row === undefined,
      expiresAt: endOf(token),
      deployment: row && list && toHeldDeployment(row, list.list),
      // As if it had its list alone: it may outlive the others that share it.
      bytes: bytesOfToken + (list?.bytes ?? 0),
    };
  }

  const tokens = createFactMemory<HeldToken>({
    feed,
    kind: 'token',
    restsOn: ({ deploymentId }) => (deploymentId === undefined ? [] : [`deployment:${deploymentId}`]),
    async read(hashes) {
      const registered = await findTokensFor(db, 'deployment', hashes);
      const ids = registered.filter(({ kind }) => kind === 'deployment').map(({ subjectId }) => subjectId);
      const rows = new Map((await findDeployments(db, ids)).map((row) => [row.id, row]));
      return new Map(registered.map((token) => [token.hash, toHeldToken(token, rows.get(token.subjectId))]));
    },
    maxEntries,
    maxBytes,
    bytesOf: ({ bytes }) => bytes,
    loadsAtOnce,
  });
  const organizations = createFactMemory<OrganizationFacts>({
    feed,
    kind: 'organization',
    async read(ids) {
      const suspended = await suspendedOrganizations(db, ids);
      return new Map(ids.map((id) => [id, { suspended: suspended.has(id) }]));
    },
    maxEntries,
  });
  const certificates = createFactMemory<RetrievableCertificate>({
    feed,
    kind: 'certificate',
    async read(ids) {
      const found = await readHandOutCertificates(db, ids);
      return new Map(found.map((certificate) => [certificate.id, toRetrievable(certificate, timeZone)]));
    },
    maxEntries,
    maxBytes: maxBytes * (1 - formerShare),
    bytesOf: ({ current }) => bytesOf(current),
    loadsAtOnce,
  });
  /** By their own ids. After a renewal, many servers at once ask for the second half of the pair that they hold. */
  const formers = createFactMemory<RetrievableVersion>({
    feed,
    restsOn: ({ sealed }) => [`certificate:${sealed.certificateId}`],
    async read(ids) {
      const found = await readHandOutVersions(db, ids);
      return new Map(found.map((version) => [version.id, toRetrievableVersion(version, timeZone)]));
    },
    maxEntries,
    maxBytes: maxBytes * formerShare,
    bytesOf,
  });

  async function load(hash: string, version: string | undefined, suspect: boolean): Promise<KnownToken | undefined> {
    const token = tokens.find(hash) ?? (await tokens.load(hash, suspect));
    if (token === undefined) return undefined;
    const { organizationId, deployment } = token;
    const organization = organizations.find(organizationId) ?? (await organizations.load(organizationId));
    if (deployment === undefined) return toKnown(token, organization);
    const { certificateId } = deployment;
    const certificate = certificates.find(certificateId) ?? (await certificates.load(certificateId));
    if (version === undefined || version !== certificate?.formerId) return toKnown(token, organization, certificate);
    const former = formers.find(version) ?? (await formers.load(version));
    return toKnown(token, organization, { ...certificate, former });
  }

  return {
    find(hash, version) {
      const token = tokens.find(hash);
      const organization = token && organizations.find(token.organizationId);
      if (token === undefined || organization === undefined) return undefined;
      if (token.deployment === undefined) return toKnown(token, organization);
      const certificate = certificates.find(token.deployment.certificateId);
      if (certificate === undefined) return undefined;
      if (version === undefined || version !== certificate.formerId) return toKnown(token, organization, certificate);
      const former = formers.find(version);
      return former && toKnown(token, organization, { ...certificate, former });
    },
    load: (hash, version, suspect = false) =>
      within(loadLimitMs, 'the database did not answer', load(hash, version, suspect)),
    get size() {
      return tokens.size;
    },
    get bytes() {
      return tokens.bytes + certificates.bytes + formers.bytes;
    },
  };
}

/** One object, which stays whole whatever memory forgets while its request waits. */
function toKnown(
  { organizationId, disabled, expiresAt, deployment }: HeldToken,
  organization: OrganizationFacts | undefined,
  certificate?: RetrievableCertificate,
): KnownToken {
  return {
    organizationId,
    disabled,
    expiresAt,
    organizationSuspended: organization?.suspended !== false,
    deployment: deployment && { ...deployment, certificate },
  };
}

function toHeldDeployment(row: DeploymentRow, allowList: AllowList): HeldToken['deployment'] {
  return {
    id: row.id,
    certificateId: row.certificate_id,
    enabled: row.enabled === 1,
    permitted: row.permitted === 1,
    queryToken: row.query_token === 1,
    expiresAt: row.expires_at,
    requestsPerMinute: row.requests_per_minute,
    createdAt: row.created_at,
    allowList,
  };
}
