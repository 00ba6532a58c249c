import type { DownloadType } from '@waxwing/contract/retrieval-api.ts';
import { suspendedOrganizations } from '../accounts/organization.ts';
import { findTokens, type RegisteredToken } from '../accounts/token-registry.ts';
import {
  type HandOutCertificate,
  type HandOutVersion,
  readHandOutCertificates,
  readHandOutVersion,
} from '../certificates/hand-out.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Change } from '../database/change-log.ts';
import { type Db, isUnavailable } from '../database/connect.ts';
import type { DeploymentRow } from '../database/tables.ts';
import { createBatcher } from '../runtime/batcher.ts';
import type { DeploymentFacts, TokenFacts } from './access.ts';
import { findDeployments } from './deployment-store.ts';
import { contentDisposition, downloadName } from './download-name.ts';
import { entityTag, type Representation } from './entity-tag.ts';
import { expiresAt } from './expires-at.ts';
import { type AllowList, compileAllowList } from './ip-allow-list.ts';
import { type PreparedInfo, prepareInfo } from './retrieval-envelope.ts';

/** A version with everything of its answers that does not change, computed once. */
export interface RetrievableVersion {
  readonly id: string;
  readonly revoked: boolean;
  readonly content: HandOutVersion;
  readonly info: PreparedInfo;
  readonly tags: Readonly<Record<Representation, string>>;
  readonly dispositions: Readonly<Record<DownloadType, string>>;
}

export interface RetrievableCertificate {
  readonly id: string;
  readonly organizationId: string;
  readonly issued: boolean;
  readonly current: RetrievableVersion | undefined;
  readonly formerId: string | undefined;
  /** Filled by `loadFormer`. */
  former: RetrievableVersion | undefined;
}

export interface KnownToken extends TokenFacts<RetrievableVersion> {
  readonly organizationId: string;
  readonly deployment: KnownDeployment | undefined;
}

export interface KnownDeployment extends DeploymentFacts<RetrievableVersion> {
  readonly id: string;
  readonly certificateId: string;
  readonly requestsPerMinute: number | null;
  readonly certificate: RetrievableCertificate | undefined;
}

/**
 * What retrieval decides on, in memory. Bounded: the oldest entries make room. Kept true by the change feed: what
 * changed is forgotten and read anew by the next request that needs it.
 */
export interface RetrievalFacts {
  /** What memory holds of a token, by the hash of its text. */
  find(hash: string): KnownToken | undefined;
  /** Reads it from the database, together with what else is asked for at the moment. @throws BatcherFull */
  load(hash: string): Promise<KnownToken | undefined>;
  /** Makes the version before the current one available as `former`. */
  loadFormer(certificate: RetrievableCertificate): Promise<void>;
  readonly size: number;
}

export interface RetrievalFactsNeeds {
  readonly db: Db;
  readonly feed: ChangeFeed;
  readonly timeZone: string;
  /** Tokens, and certificates, kept at most. */
  readonly maxEntries: number;
}

const loadsPerQuery = 250;
const loadsWaiting = 10_000;

export function createRetrievalFacts({ db, feed, timeZone, maxEntries }: RetrievalFactsNeeds): RetrievalFacts {
  const tokens = new Map<string, KnownToken>();
  const certificates = new Map<string, RetrievableCertificate>();
  const allowLists = new Map<string, AllowList>();
  /** Raised by every change: what was read before it must not be kept after it. */
  let generation = 0;

  feed.listen((changes) => {
    generation += 1;
    if (changes === undefined) {
      tokens.clear();
      certificates.clear();
    } else {
      forget(changes, tokens, certificates);
    }
  });

  /** Many deployments share one list, the same networks of one site: each text is compiled once. */
  function allowListOf(json: string): AllowList {
    const known = allowLists.get(json);
    if (known !== undefined) return known;
    const compiled = compileAllowList(JSON.parse(json) as string[]);
    return keep(allowLists, json, compiled, maxEntries);
  }

  async function readCertificates(ids: readonly string[]): Promise<Map<string, RetrievableCertificate>> {
    const found = new Map<string, RetrievableCertificate>();
    const missing: string[] = [];
    for (const id of ids) {
      const known = certificates.get(id);
      if (known === undefined) missing.push(id);
      else found.set(id, known);
    }
    if (missing.length === 0) return found;
    for (const certificate of await readHandOutCertificates(db, missing)) {
      found.set(certificate.id, toRetrievable(certificate, timeZone));
    }
    return found;
  }

  async function readTokens(hashes: readonly string[]): Promise<(KnownToken | undefined)[]> {
    const startedIn = generation;
    const registered = await findTokens(db, hashes);
    const deployments = await findDeployments(
      db,
      registered.filter((token) => token.kind === 'deployment').map((token) => token.subjectId),
    );
    const suspended = await suspendedOrganizations(db, [...new Set(registered.map((token) => token.organizationId))]);
    const held = await readCertificates([...new Set(deployments.map((row) => row.certificate_id))]);
    const rows = new Map(deployments.map((row) => [row.id, row]));
    const known = new Map<string, KnownToken>();
    for (const token of registered) {
      const row = rows.get(token.subjectId);
      known.set(token.hash, {
        ...tokenFacts(token, row, suspended),
        deployment: row === undefined ? undefined : deploymentFacts(row, allowListOf(row.allow_list), held),
      });
    }
    if (startedIn === generation) {
      for (const [hash, token] of known) keep(tokens, hash, token, maxEntries);
      for (const [id, certificate] of held) keep(certificates, id, certificate, maxEntries);
    }
    return hashes.map((hash) => known.get(hash));
  }

  const formerLoads = new Map<RetrievableCertificate, Promise<void>>();

  async function readFormer(certificate: RetrievableCertificate, versionId: string): Promise<void> {
    const version = await readHandOutVersion(db, certificate, versionId);
    if (version !== undefined) certificate.former = toRetrievableVersion(version, timeZone);
  }

  const loads = createBatcher<string, KnownToken | undefined>({
    commit: readTokens,
    maxGroup: loadsPerQuery,
    maxWaiting: loadsWaiting,
    isOutage: isUnavailable,
  });

  return {
    find: (hash) => tokens.get(hash),
    load: (hash) => loads.offer(hash),
    async loadFormer(certificate) {
      if (certificate.formerId === undefined || certificate.former !== undefined) return;
      // After a renewal many servers at once come for the second half of their pair: one question for all of them.
      let loading = formerLoads.get(certificate);
      if (loading === undefined) {
        loading = readFormer(certificate, certificate.formerId).finally(() => formerLoads.delete(certificate));
        formerLoads.set(certificate, loading);
      }
      await loading;
    },
    get size() {
      return tokens.size;
    },
  };
}

/** One pass for any number of changes: changes are rare and come in groups, an index of dependents would cost always. */
function forget(
  changes: readonly Change[],
  tokens: Map<string, KnownToken>,
  certificates: Map<string, RetrievableCertificate>,
): void {
  const changed = new Set(changes.map((change) => `${change.kind}:${change.subjectId}`));
  for (const change of changes) {
    if (change.kind === 'certificate') certificates.delete(change.subjectId);
  }
  for (const [hash, token] of tokens) {
    if (
      changed.has(`organization:${token.organizationId}`) ||
      changed.has(`token:${hash}`) ||
      changed.has(`deployment:${token.deployment?.id}`) ||
      changed.has(`certificate:${token.deployment?.certificateId}`)
    ) {
      tokens.delete(hash);
    }
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, maxEntries: number): Value {
  if (map.size >= maxEntries && !map.has(key)) {
    const oldest = map.keys().next().value;
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(key, value);
  return value;
}

function tokenFacts(token: RegisteredToken, row: DeploymentRow | undefined, suspended: ReadonlySet<string>) {
  return {
    organizationId: token.organizationId,
    // A deployment's token whose deployment is gone stands for nothing.
    disabled: token.kind === 'deployment' && row === undefined,
    expiresAt: token.expiresAt,
    organizationSuspended: suspended.has(token.organizationId),
  };
}

function deploymentFacts(
  row: DeploymentRow,
  allowList: AllowList,
  certificates: ReadonlyMap<string, RetrievableCertificate>,
): KnownDeployment {
  return {
    id: row.id,
    certificateId: row.certificate_id,
    enabled: row.enabled === 1,
    permitted: row.permitted === 1,
    queryToken: row.query_token === 1,
    expiresAt: row.expires_at,
    requestsPerMinute: row.requests_per_minute,
    allowList,
    certificate: certificates.get(row.certificate_id),
  };
}

function toRetrievable(certificate: HandOutCertificate, timeZone: string): RetrievableCertificate {
  return {
    id: certificate.id,
    organizationId: certificate.organizationId,
    issued: certificate.state === 'issued',
    current: certificate.current === undefined ? undefined : toRetrievableVersion(certificate.current, timeZone),
    formerId: certificate.formerId,
    former: undefined,
  };
}

function toRetrievableVersion(content: HandOutVersion, timeZone: string): RetrievableVersion {
  const { id, revoked, domains } = content;
  return {
    id,
    revoked,
    content,
    info: prepareInfo({
      domains: [...domains],
      certificate: content.chain,
      expires_at: expiresAt(content.notAfter, timeZone),
    }),
    tags: {
      info: entityTag(id, 'info', timeZone),
      certificate: entityTag(id, 'certificate', timeZone),
      key: entityTag(id, 'key', timeZone),
    },
    dispositions: {
      certificate: contentDisposition(downloadName(domains, 'certificate')),
      key: contentDisposition(downloadName(domains, 'key')),
    },
  };
}
