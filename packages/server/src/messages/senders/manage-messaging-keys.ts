import type { Ground } from '../../audit/ground.ts';
import type { MessagingKeyRow } from '../../database/schema/message-tables.ts';
import { parseAllowList } from '../../http/request/ip-allow-list.ts';
import { checkName, lockOrganization } from '../../organizations/organization.ts';
import {
  changedFacts,
  createTokenHolders,
  endOfMaker,
  flag,
  type HolderUpdate,
  holderColumns,
  requireChange,
} from '../../organizations/token-holder.ts';
import { listTokens } from '../../organizations/token-registry.ts';
import { newId } from '../../runtime/clock.ts';
import { absent } from '../../runtime/problem.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import { type MessagingKey, type MessagingKeyDetails, toMessagingKey, toMessagingKeyDetails } from './messaging-key.ts';
import {
  deleteMessagingKey,
  findMessagingKey,
  insertMessagingKey,
  type KeyPart,
  listMessagingKeys,
  lockMessagingKey,
  type MessagingKeyChange,
  updateMessagingKey,
} from './messaging-key-store.ts';

export interface NewMessagingKey {
  readonly organizationId: string;
  readonly name: string;
  /** Addresses and CIDR networks. Empty admits nobody. */
  readonly allow: readonly string[];
}

export interface MessagingKeyUpdate extends HolderUpdate {
  readonly permitted?: boolean | undefined;
  readonly queryToken?: boolean | undefined;
}

export interface MessagingKeys {
  /** The token is shown here and never again. */
  create(actor: string, request: NewMessagingKey): Promise<{ messagingKey: MessagingKey; token: SecretText }>;
  /** @param requireSame as in `Deployments.update` */
  update(
    actor: string,
    id: string,
    update: MessagingKeyUpdate,
    requireSame?: (current: MessagingKey) => void,
  ): Promise<MessagingKey>;
  /** A new token; the ones before stay valid for `overlapMs` more. */
  rotate(
    actor: string,
    id: string,
    overlapMs: number,
  ): Promise<{ messagingKey: MessagingKey; token: SecretText; formerValidUntil: string }>;
  /** @param organizationId undefined: of all organizations */
  list(organizationId?: string, part?: KeyPart): Promise<MessagingKey[]>;
  show(id: string): Promise<MessagingKeyDetails>;
  delete(actor: string, id: string): Promise<{ id: string }>;
}

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

export function createMessagingKeys({ database, feed, audit, clock }: Needs): MessagingKeys {
  const holders = createTokenHolders({ feed, audit, clock }, { subject: 'messaging-key', tokens: 'messaging' });

  const get = async (id: string): Promise<MessagingKeyRow> =>
    (await findMessagingKey(database.db, id)) ?? absent('messaging key', id);

  return {
    async create(actor, request) {
      const at = clock.now();
      const row: MessagingKeyRow = {
        organization_id: request.organizationId,
        id: newId(at),
        name: checkName('name', request.name),
        enabled: 1,
        permitted: 1,
        query_token: 1,
        allow_list: JSON.stringify(parseAllowList(request.allow)),
        expires_at: await endOfMaker(database.db, actor),
        created_at: at,
        updated_at: at,
      };
      const detail = { name: row.name, allow: JSON.parse(row.allow_list) as unknown };
      const token = await holders.change(actor, 'create', row, detail, async (trx) => {
        await lockOrganization(trx, database, row.organization_id);
        await insertMessagingKey(trx, row);
        return holders.issue(trx, actor, row, at);
      });
      return { messagingKey: toMessagingKey(row), token };
    },

    async update(actor, id, update, requireSame) {
      const row = await get(id);
      const columns = toColumns(update);
      requireChange(columns);
      const detail = changedFacts(toMessagingKey({ ...row, ...columns }), columns);
      return holders.update(actor, row, columns, detail, async (trx, at) => {
        requireSame?.(toMessagingKey((await lockMessagingKey(database, trx, id)) ?? absent('messaging key', id)));
        return toMessagingKey((await updateMessagingKey(trx, row, columns, at)) ?? absent('messaging key', id));
      });
    },

    async rotate(actor, id, overlapMs) {
      const { row, ...rotated } = await holders.rotate(
        actor,
        await get(id),
        overlapMs,
        async (trx, at, row) => (await updateMessagingKey(trx, row, {}, at)) ?? absent('messaging key', id),
      );
      return { messagingKey: toMessagingKey(row), ...rotated };
    },

    list: async (organizationId, part) =>
      (await listMessagingKeys(database.db, organizationId, part)).map(toMessagingKey),

    async show(id) {
      const row = await get(id);
      return toMessagingKeyDetails(row, await listTokens(database.db, row.organization_id, row.id));
    },

    async delete(actor, id) {
      await holders.delete(actor, await get(id), async (trx, row) => {
        if (!(await deleteMessagingKey(trx, row))) absent('messaging key', id);
      });
      return { id };
    },
  };
}

function toColumns(update: MessagingKeyUpdate): MessagingKeyChange {
  return {
    ...holderColumns(update),
    ...(update.permitted === undefined ? {} : { permitted: flag(update.permitted) }),
    ...(update.queryToken === undefined ? {} : { query_token: flag(update.queryToken) }),
  };
}
