import type { ChangeFeed } from '../../database/change-feed.ts';
import type { Db } from '../../database/database.ts';
import { createFactMemory, type FactMemory } from '../../database/fact-memory.ts';
import type { MessagingKeyRow } from '../../database/schema/message-tables.ts';
import { compileAllowList } from '../../http/request/ip-allow-list.ts';
import { suspendedOrganizations } from '../../organizations/organization.ts';
import { endOf, findTokensFor, type RegisteredToken } from '../../organizations/token-registry.ts';
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

/** What the send operation decides on, in memory. */
export interface MessagingFacts {
  /** By the hash of a token's text. */
  readonly tokens: FactMemory<MessagingTokenFacts>;
  /** By the id of an organization; one without settings of its own has those of everybody. */
  readonly senders: FactMemory<SenderFacts>;
}

export interface MessagingFactsNeeds {
  readonly db: Db;
  readonly feed: ChangeFeed;
  /** Tokens, and organizations, kept at most. */
  readonly maxEntries: number;
}

/** The organization that stands for all of them in lists. */
const everybody = '';

export function createMessagingFacts({ db, feed, maxEntries }: MessagingFactsNeeds): MessagingFacts {
  /** What is blocked for everybody, once for all senders. */
  const common = createFactMemory<BlockedWords>({
    feed,
    kind: 'messaging',
    maxEntries: 1,
    read: (ids) => readBlockedWords(db, ids),
  });
  return {
    tokens: createFactMemory({
      feed,
      kind: 'token',
      maxEntries,
      restsOn: ({ organizationId, key }) =>
        key === undefined
          ? [`organization:${organizationId}`]
          : [`organization:${organizationId}`, `messaging-key:${key.id}`],
      read: (hashes) => readTokens(db, hashes),
    }),
    senders: createFactMemory({
      feed,
      kind: 'messaging',
      maxEntries,
      restsOn: () => [`messaging:${everybody}`],
      read: async (ids) => readSenders(db, ids, common.find(everybody) ?? (await common.load(everybody))),
    }),
  };
}

async function readTokens(db: Db, hashes: readonly string[]): Promise<Map<string, MessagingTokenFacts>> {
  const registered = await findTokensFor(db, 'messaging', hashes);
  const keys = await findMessagingKeys(
    db,
    registered.filter(({ kind }) => kind === 'messaging').map(({ subjectId }) => subjectId),
  );
  const suspended = await suspendedOrganizations(db, [...new Set(registered.map((token) => token.organizationId))]);
  const rows = new Map(keys.map((row) => [row.id, row]));
  return new Map(registered.map((token) => [token.hash, toTokenFacts(token, rows.get(token.subjectId), suspended)]));
}

async function readBlockedWords(db: Db, ids: readonly string[]): Promise<Map<string, BlockedWords>> {
  const rows = Map.groupBy(await findBlockedWords(db, ids), (row) => row.organization_id);
  return new Map(ids.map((id) => [id, createBlockedWords((rows.get(id) ?? []).map(({ word }) => word))]));
}

async function readSenders(
  db: Db,
  ids: readonly string[],
  common: BlockedWords | undefined,
): Promise<Map<string, SenderFacts>> {
  const rows = new Map((await findMessagingSettings(db, ids)).map((row) => [row.organization_id, row]));
  const words = await readBlockedWords(db, ids);
  return new Map(
    ids.map((id): [string, SenderFacts] => {
      const row = rows.get(id);
      const region = row?.default_region ?? undefined;
      return [
        id,
        {
          region: region !== undefined && isRegion(region) ? region : undefined,
          perSecond: row?.messages_per_second ?? undefined,
          perDay: row?.messages_per_day ?? undefined,
          blockedWord: (content) => common?.find(content) ?? words.get(id)?.find(content),
        },
      ];
    }),
  );
}

function toTokenFacts(
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
  return {
    id: row.id,
    enabled: row.enabled === 1,
    permitted: row.permitted === 1,
    queryToken: row.query_token === 1,
    expiresAt: row.expires_at,
    allowList: compileAllowList(JSON.parse(row.allow_list) as string[]),
  };
}
