import { hash as digest } from 'node:crypto';
import { suspendedOrganizations } from '../accounts/organization.ts';
import { endOf, findTokensFor } from '../accounts/token-registry.ts';
import { readHandOutCertificates, readHandOutVersion } from '../certificates/hand-out.ts';
import type { DeploymentRow } from '../database/certificate-tables.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { ChangedKind } from '../database/change-log.ts';
import { type Db, isUnavailable } from '../database/connect.ts';
import { compileAllowList } from '../http/ip-allow-list.ts';
import { createBatcher } from '../runtime/batcher.ts';
import type { DeploymentFacts, TokenFacts } from './access.ts';
import { findDeployments } from './deployment-store.ts';
import { createPackedCache, placedHashes, placedTexts } from './packed-cache.ts';
import {
  deploymentColumns,
  type HeldDeployment,
  type HeldList,
  type HeldOrganization,
  type HeldToken,
  tokenColumns,
} from './packed-facts.ts';
import { createRetrievalCache, type Reference } from './retrieval-cache.ts';
import type { RetrievalDeadline } from './retrieval-deadline.ts';
import {
  bytesOf,
  type RetrievableCertificate,
  type RetrievableVersion,
  toRetrievable,
  toRetrievableVersion,
} from './retrieval-version.ts';
import { createSharedIssuers } from './shared-issuers.ts';

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
 * What retrieval decides on, in memory. Bounded: what is least used makes room. Kept true by the change feed: what
 * changed is forgotten and read anew by the next request that needs it.
 */
export interface RetrievalFacts {
  /** What memory holds of a token, by the hash of its text; undefined unless it holds all of it. */
  find(hash: string): KnownToken | undefined;
  /**
   * Reads it from the database, together with what else is asked for at the moment.
   * @param suspect asked for by a client that has presented too many wrong tokens: it waits with its like, in a short
   * queue, so that a flood of invented tokens keeps nobody else waiting
   * @throws BatcherFull, TooSlow
   */
  load(hash: string, suspect?: boolean): Promise<KnownToken | undefined>;
  /** Makes the version before the current one available as `former`. @throws TooSlow */
  loadFormer(certificate: RetrievableCertificate): Promise<void>;
  /** Tokens in memory. */
  readonly size: number;
  /** What certificates, keys and allow-lists take in memory, about. */
  readonly bytes: number;
}

export interface RetrievalFactsNeeds {
  readonly db: Db;
  readonly feed: ChangeFeed;
  readonly timeZone: string;
  /** Tokens, and deployments, kept at most. */
  readonly maxEntries: number;
  /** What certificates, keys and allow-lists may take in memory. */
  readonly maxBytes: number;
  /** Bounds what a request waits for. */
  readonly deadline: RetrievalDeadline;
}

const loadsPerQuery = 250;
const loadsWaiting = 10_000;
/** With the suspect ones fewer than SQLite has readers: the question whether anything has changed must not wait behind them. */
const loadsAtOnce = 2;
const suspectLoadsPerQuery = 50;
const suspectLoadsWaiting = 100;
/** Of the memory for certificates and allow-lists, the part for allow-lists. */
const listShare = 1 / 8;
/** About what an allow-list and each of its entries take. */
const bytesOfList = 600;
const bytesOfEntry = 100;

/** Facts by their names: the caches, or what one question to the database found. */
interface Held {
  readonly organizations: Named<HeldOrganization>;
  readonly deployments: { get(id: string): HeldDeployment | undefined };
  readonly lists: Named<HeldList>;
  readonly certificates: Named<RetrievableCertificate>;
}

interface Named<Value> {
  follow(reference: Reference<Value>): Value | undefined;
}

interface Found {
  readonly tokens: ReadonlyMap<string, HeldToken>;
  readonly organizations: ReadonlyMap<string, HeldOrganization>;
  readonly deployments: ReadonlyMap<string, HeldDeployment>;
  readonly lists: ReadonlyMap<string, HeldList>;
  readonly certificates: ReadonlyMap<string, RetrievableCertificate>;
}

/**
 * Each kind of fact has its own cache, and facts only name each other. So a change is one deletion, however many
 * tokens depend on what changed (links between them would have to be searched for: 0.2 s of a standstill for each
 * change with 100,000 tokens), and what was evicted is really gone.
 */
export function createRetrievalFacts(needs: RetrievalFactsNeeds): RetrievalFacts {
  const { db, feed, timeZone, maxEntries, maxBytes, deadline } = needs;
  const making = { timeZone, shareIssuers: createSharedIssuers() };
  const tokens = createPackedCache(maxEntries, placedHashes(), tokenColumns());
  const deployments = createPackedCache(maxEntries, placedTexts(), deploymentColumns());
  const organizations = createRetrievalCache<HeldOrganization>(maxEntries);
  const lists = createRetrievalCache<HeldList>(maxEntries, maxBytes * listShare);
  const certificates = createRetrievalCache<RetrievableCertificate>(maxEntries, maxBytes * (1 - listShare));
  const changing: { readonly [Kind in ChangedKind]?: { delete(id: string): void; clear(): void } } = {
    token: tokens,
    deployment: deployments,
    organization: organizations,
    certificate: certificates,
  };
  const held: Held = { organizations, deployments, lists, certificates };
  /** Raised by every change: what was read before it must not be kept after it. */
  let generation = 0;

  feed.listen((changes) => {
    generation += 1;
    if (changes === undefined) for (const cache of Object.values(changing)) cache.clear();
    else for (const { kind, subjectId } of changes) changing[kind]?.delete(subjectId);
  });

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
      found.set(certificate.id, toRetrievable(certificate, making));
    }
    return found;
  }

  function listOf(key: string, json: string): HeldList {
    const known = lists.get(key);
    if (known !== undefined) return known;
    const entries = JSON.parse(json) as string[];
    return { list: compileAllowList(entries), bytes: bytesOfList + bytesOfEntry * entries.length };
  }

  async function read(hashes: readonly string[]): Promise<Found> {
    const registered = await findTokensFor(db, 'deployment', hashes);
    const rows = await findDeployments(
      db,
      registered.filter((token) => token.kind === 'deployment').map((token) => token.subjectId),
    );
    const organizationIds = [...new Set(registered.map((token) => token.organizationId))];
    const suspended = await suspendedOrganizations(db, organizationIds);
    const certificatesOfRows = await readCertificates([...new Set(rows.map((row) => row.certificate_id))]);
    // Each row brings strings of its own: of those that several facts hold, one stays in memory.
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    const organizationOf = memoize(organizations.refer);
    const certificateOf = memoize(certificates.refer);
    const listReferenceOf = memoize((json) => lists.refer(digest('sha256', json, 'base64url')));
    const tokensFound = registered.map((token): [string, HeldToken] => {
      const row = token.kind === 'deployment' ? rowOf.get(token.subjectId) : undefined;
      return [
        token.hash,
        {
          organization: organizationOf(token.organizationId),
          deploymentId: token.kind === 'deployment' ? (row?.id ?? token.subjectId) : undefined,
          expiresAt: endOf(token),
        },
      ];
    });
    const listsFound = new Map<string, HeldList>();
    const deploymentsFound = new Map<string, HeldDeployment>();
    for (const row of rows) {
      const list = listReferenceOf(row.allow_list);
      if (!listsFound.has(list.key)) listsFound.set(list.key, listOf(list.key, row.allow_list));
      deploymentsFound.set(row.id, toHeldDeployment(row, certificateOf(row.certificate_id), list));
    }
    return {
      tokens: new Map(tokensFound),
      organizations: new Map(organizationIds.map((id) => [id, { suspended: suspended.has(id) }])),
      deployments: deploymentsFound,
      lists: listsFound,
      certificates: certificatesOfRows,
    };
  }

  function keep(found: Found): void {
    for (const [hash, token] of found.tokens) tokens.put(hash, token);
    for (const [id, organization] of found.organizations) {
      if (organizations.get(id) === undefined) organizations.put(id, organization);
    }
    for (const [id, deployment] of found.deployments) deployments.put(id, deployment);
    for (const [key, list] of found.lists) if (lists.get(key) === undefined) lists.put(key, list, list.bytes);
    for (const [id, certificate] of found.certificates) {
      if (certificates.get(id) === undefined) certificates.put(id, certificate, bytesOf(certificate));
    }
  }

  async function readTokens(hashes: readonly string[]): Promise<(KnownToken | undefined)[]> {
    const startedIn = generation;
    const found = await read(hashes);
    if (startedIn === generation) keep(found);
    const named: Held = {
      organizations: among(found.organizations),
      deployments: found.deployments,
      lists: among(found.lists),
      certificates: among(found.certificates),
    };
    return hashes.map((hash) => {
      const token = found.tokens.get(hash);
      return token === undefined ? undefined : knownToken(token, partsOf(token, named));
    });
  }

  const formerLoads = new Map<RetrievableCertificate, Promise<void>>();

  async function readFormer(certificate: RetrievableCertificate, versionId: string): Promise<void> {
    const version = await readHandOutVersion(db, certificate, versionId);
    if (version === undefined) return;
    certificate.former = toRetrievableVersion(version, making);
    // It takes more room now, unless it was forgotten meanwhile.
    const { id } = certificate;
    if (certificates.get(id) === certificate) certificates.put(id, certificate, bytesOf(certificate));
  }

  const batcherOf = (maxGroup: number, maxWaiting: number, underWay: number) =>
    createBatcher<string, KnownToken | undefined>({
      commit: readTokens,
      maxGroup,
      maxWaiting,
      isOutage: isUnavailable,
      underWay,
    });
  const loads = batcherOf(loadsPerQuery, loadsWaiting, loadsAtOnce);
  const suspectLoads = batcherOf(suspectLoadsPerQuery, suspectLoadsWaiting, 1);

  return {
    find(hash) {
      const token = tokens.get(hash);
      if (token === undefined) return undefined;
      const parts = partsOf(token, held);
      return isWhole(token, parts) ? knownToken(token, parts) : undefined;
    },
    load: (hash, suspect = false) => deadline.within((suspect ? suspectLoads : loads).offer(hash)),
    async loadFormer(certificate) {
      if (certificate.formerId === undefined || certificate.former !== undefined) return;
      // After a renewal many servers at once come for the second half of their pair: one question for all of them.
      let loading = formerLoads.get(certificate);
      if (loading === undefined) {
        const reading = deadline.within(readFormer(certificate, certificate.formerId));
        loading = reading.finally(() => formerLoads.delete(certificate));
        formerLoads.set(certificate, loading);
      }
      await loading;
    },
    get size() {
      return tokens.size;
    },
    get bytes() {
      return certificates.bytes + lists.bytes;
    },
  };
}

interface Parts {
  readonly organization: HeldOrganization | undefined;
  readonly deployment: HeldDeployment | undefined;
  readonly list: HeldList | undefined;
  readonly certificate: RetrievableCertificate | undefined;
}

function partsOf({ organization: named, deploymentId }: HeldToken, held: Held): Parts {
  const organization = held.organizations.follow(named);
  const deployment = deploymentId === undefined ? undefined : held.deployments.get(deploymentId);
  if (deployment === undefined) return { organization, deployment, list: undefined, certificate: undefined };
  const list = held.lists.follow(deployment.list);
  return { organization, deployment, list, certificate: held.certificates.follow(deployment.certificate) };
}

/** Whether a decision can be made of these parts, or the database has to be asked for the others. */
function isWhole({ deploymentId }: HeldToken, { organization, list, certificate }: Parts): boolean {
  if (organization === undefined) return false;
  return deploymentId === undefined || (list !== undefined && certificate !== undefined);
}

/** One object, which stays whole whatever the caches let go while its request waits. */
function knownToken(token: HeldToken, { organization, deployment, list, certificate }: Parts): KnownToken {
  return {
    organizationId: token.organization.key,
    // A deployment's token whose deployment is gone stands for nothing.
    disabled: token.deploymentId !== undefined && deployment === undefined,
    expiresAt: token.expiresAt,
    organizationSuspended: organization?.suspended !== false,
    deployment:
      token.deploymentId === undefined || deployment === undefined || list === undefined
        ? undefined
        : knownDeployment(token.deploymentId, deployment, list, certificate),
  };
}

function knownDeployment(
  id: string,
  held: HeldDeployment,
  { list }: HeldList,
  certificate: RetrievableCertificate | undefined,
): KnownDeployment {
  return {
    id,
    certificateId: held.certificate.key,
    enabled: held.enabled,
    permitted: held.permitted,
    queryToken: held.queryToken,
    expiresAt: held.expiresAt,
    requestsPerMinute: held.requestsPerMinute,
    allowList: list,
    certificate,
  };
}

function among<Value>(found: ReadonlyMap<string, Value>): Named<Value> {
  return { follow: ({ key }) => found.get(key) };
}

/** Calls `make` once for each text. */
function memoize<Result>(make: (text: string) => Result): (text: string) => Result {
  const made = new Map<string, Result>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const result = make(text);
    made.set(text, result);
    return result;
  };
}

function toHeldDeployment(
  row: DeploymentRow,
  certificate: HeldDeployment['certificate'],
  list: HeldDeployment['list'],
): HeldDeployment {
  return {
    certificate,
    enabled: row.enabled === 1,
    permitted: row.permitted === 1,
    queryToken: row.query_token === 1,
    expiresAt: row.expires_at,
    requestsPerMinute: row.requests_per_minute,
    list,
  };
}
