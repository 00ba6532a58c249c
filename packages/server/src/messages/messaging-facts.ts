import { suspendedOrganizations } from '../accounts/organization.ts';
import { endOf, findTokensFor, type RegisteredToken } from '../accounts/token-registry.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Change } from '../database/change-log.ts';
import { type Db, isUnavailable } from '../database/connect.ts';
import type { MessagingKeyRow } from '../database/message-tables.ts';
import { type AllowList, compileAllowList } from '../http/ip-allow-list.ts';
import { createBatcher } from '../runtime/batcher.ts';
import { findBlockedWords } from './blocked-list-store.ts';
import { type BlockedWords, createBlockedWords } from './content-policy.ts';
import type { MessagingKeyFacts, MessagingTokenFacts } from './messaging-access.ts';
import { findMessagingKeys } from './messaging-key-store.ts';
import { findMessagingSettings } from './messaging-settings.ts';
import { isRegion, type Region } from './phone-number.ts';

/** How an organization sends, ready to decide on. */
export interface SenderFacts {
  readonly region: Region | undefined;
  readonly perSecond: number | undefined;
  readonly perDay: number | undefined;
  /** The words that are blocked for all, and the organization's own. */
  blockedWord(content: string): string | undefined;
}

/**
 * What the send operation decides on, in memory. Bounded: the oldest entries make room. Kept true by the change feed: what
 * changed is forgotten and read anew by the next request that needs it.
 */
export interface MessagingFacts {
  /** What memory holds of a token, by the hash of its text. */
  findToken(hash: string): MessagingTokenFacts | undefined;
  /**
   * Reads it, together with what else is asked for at the moment.
   * @param suspect asked for by a client that has presented too many wrong tokens: it waits with its like, in a short
   *   queue, so that a flood of invented tokens keeps nobody else waiting
   * @throws BatcherFull
   */
  loadToken(hash: string, suspect?: boolean): Promise<MessagingTokenFacts | undefined>;
  findSender(organizationId: string): SenderFacts | undefined;
  /** @throws BatcherFull */
  loadSender(organizationId: string): Promise<SenderFacts>;
  readonly size: number;
}

export interface MessagingFactsNeeds {
  readonly db: Db;
  readonly feed: ChangeFeed;
  /** Tokens, and organizations, kept at most. */
  readonly maxEntries: number;
}

const loadsPerQuery = 250;
const loadsWaiting = 10_000;
const suspectLoadsPerQuery = 50;
const suspectLoadsWaiting = 100;
/** The organization that stands for all of them in lists. */
const everybody = '';

export function createMessagingFacts({ db, feed, maxEntries }: MessagingFactsNeeds): MessagingFacts {
  const tokens = new Map<string, MessagingTokenFacts>();
  const senders = new Map<string, SenderFacts>();
  let wordsForAll: BlockedWords | undefined;
  /** Raised by every change: what was read before it must not be kept after it. */
  let generation = 0;

  feed.listen((changes) => {
    generation += 1;
    if (changes === undefined || changes.some((each) => each.kind === 'messaging' && each.subjectId === everybody)) {
      senders.clear();
      wordsForAll = undefined;
    }
    if (changes === undefined) tokens.clear();
    else forget(changes, tokens, senders);
  });

  async function readTokens(hashes: readonly string[]): Promise<(MessagingTokenFacts | undefined)[]> {
    const startedIn = generation;
    const registered = await findTokensFor(db, 'messaging', hashes);
    const keys = await findMessagingKeys(
      db,
      registered.filter(({ kind }) => kind === 'messaging').map(({ subjectId }) => subjectId),
    );
    const suspended = await suspendedOrganizations(db, [...new Set(registered.map((token) => token.organizationId))]);
    const rows = new Map(keys.map((row) => [row.id, row]));
    const known = new Map(
      registered.map((token) => [token.hash, toKnown(token, rows.get(token.subjectId), suspended)]),
    );
    if (startedIn === generation) for (const [hash, token] of known) keep(tokens, hash, token, maxEntries);
    return hashes.map((hash) => known.get(hash));
  }

  async function readSenders(organizationIds: readonly string[]): Promise<SenderFacts[]> {
    const startedIn = generation;
    const unique = [...new Set(organizationIds)];
    // Held from here on: a change that comes meanwhile makes memory forget it.
    const held = wordsForAll;
    const settings = new Map((await findMessagingSettings(db, unique)).map((row) => [row.organization_id, row]));
    const asked = held === undefined ? [everybody, ...unique] : unique;
    const words = Map.groupBy(await findBlockedWords(db, asked), (row) => row.organization_id);
    const compile = (id: string) => createBlockedWords((words.get(id) ?? []).map(({ word }) => word));
    const forAll = held ?? compile(everybody);
    const known = new Map(
      unique.map((id): [string, SenderFacts] => {
        const row = settings.get(id);
        const own = compile(id);
        return [
          id,
          {
            region: isSet(row?.default_region) && isRegion(row.default_region) ? row.default_region : undefined,
            perSecond: row?.messages_per_second ?? undefined,
            perDay: row?.messages_per_day ?? undefined,
            blockedWord: (content) => forAll.find(content) ?? own.find(content),
          },
        ];
      }),
    );
    if (startedIn === generation) {
      wordsForAll = forAll;
      for (const [id, sender] of known) keep(senders, id, sender, maxEntries);
    }
    return organizationIds.map((id) => known.get(id) as SenderFacts);
  }

  const tokenLoadsOf = (maxGroup: number, maxWaiting: number) =>
    createBatcher<string, MessagingTokenFacts | undefined>({
      commit: readTokens,
      maxGroup,
      maxWaiting,
      isOutage: isUnavailable,
    });
  const tokenLoads = tokenLoadsOf(loadsPerQuery, loadsWaiting);
  const suspectLoads = tokenLoadsOf(suspectLoadsPerQuery, suspectLoadsWaiting);
  const senderLoads = createBatcher<string, SenderFacts>({
    commit: readSenders,
    maxGroup: loadsPerQuery,
    maxWaiting: loadsWaiting,
    isOutage: isUnavailable,
  });

  return {
    findToken: (hash) => tokens.get(hash),
    loadToken: (hash, suspect = false) => (suspect ? suspectLoads : tokenLoads).offer(hash),
    findSender: (organizationId) => senders.get(organizationId),
    loadSender: (organizationId) => senderLoads.offer(organizationId),
    get size() {
      return tokens.size;
    },
  };
}

function forget(
  changes: readonly Change[],
  tokens: Map<string, MessagingTokenFacts>,
  senders: Map<string, SenderFacts>,
): void {
  for (const { kind, subjectId } of changes) {
    if (kind === 'messaging') senders.delete(subjectId);
    if (kind === 'token') tokens.delete(subjectId);
  }
  // Most changes are of certificates, deployments and pushes: they do not make us go through all tokens.
  const changed = new Set(changes.filter(isOfMany).map((change) => `${change.kind}:${change.subjectId}`));
  if (changed.size === 0) return;
  for (const [hash, token] of tokens) {
    if (changed.has(`organization:${token.organizationId}`) || changed.has(`messaging-key:${token.key?.id}`)) {
      tokens.delete(hash);
    }
  }
}

/** Any number of tokens rest on it. */
function isOfMany({ kind }: Change): boolean {
  return kind === 'organization' || kind === 'messaging-key';
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, maxEntries: number): void {
  if (map.size >= maxEntries && !map.has(key)) {
    const oldest = map.keys().next().value;
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(key, value);
}

function toKnown(
  token: RegisteredToken,
  row: MessagingKeyRow | undefined,
  suspended: ReadonlySet<string>,
): MessagingTokenFacts {
  return {
    organizationId: token.organizationId,
    // A messaging token whose key is gone stands for nothing.
    disabled: token.kind === 'messaging' && row === undefined,
    expiresAt: endOf(token),
    organizationSuspended: suspended.has(token.organizationId),
    key: row === undefined ? undefined : toKeyFacts(row),
  };
}

function toKeyFacts(row: MessagingKeyRow): MessagingKeyFacts {
  const allowList: AllowList = compileAllowList(JSON.parse(row.allow_list) as string[]);
  return {
    id: row.id,
    enabled: row.enabled === 1,
    permitted: row.permitted === 1,
    queryToken: row.query_token === 1,
    expiresAt: row.expires_at,
    allowList,
  };
}

function isSet<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}
