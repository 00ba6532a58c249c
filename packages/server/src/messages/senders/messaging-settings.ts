import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/messaging-setting-operations.ts';
import type { Ground } from '../../audit/ground.ts';
import type { Db } from '../../database/database.ts';
import type { OrganizationMessagingRow } from '../../database/schema/message-tables.ts';
import { requireOrganization } from '../../organizations/organization.ts';
import { Problem } from '../../runtime/problem.ts';
import { isRegion, type Region } from './phone-number.ts';

/** How an organization sends. */
export type MessagingSettings = Shown<contract.MessagingSettings>;

export interface MessagingSettingsUpdate {
  readonly defaultRegion?: string | null | undefined;
  readonly messagesPerSecond?: number | null | undefined;
  readonly messagesPerDay?: number | null | undefined;
}

export interface MessagingSettingsKeeper {
  show(organizationId: string): Promise<MessagingSettings>;
  /** @param requireSame as in `Deployments.update` */
  update(
    actor: string,
    organizationId: string,
    update: MessagingSettingsUpdate,
    requireSame?: (current: MessagingSettings) => void,
  ): Promise<MessagingSettings>;
}

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

export function createMessagingSettings({ database, feed, audit, clock }: Needs): MessagingSettingsKeeper {
  return {
    async show(organizationId) {
      await requireOrganization(database.db, organizationId);
      const [row] = await findMessagingSettings(database.db, [organizationId]);
      return toSettings(organizationId, row);
    },

    async update(actor, organizationId, update, requireSame) {
      await requireOrganization(database.db, organizationId);
      const columns = toColumns(update);
      if (Object.keys(columns).length === 0) {
        throw new Problem('invalid_parameter', { field: 'update', detail: 'Name at least one thing to change.' });
      }
      const at = clock.now();
      const row = await feed.write(async (trx, note) => {
        if (requireSame !== undefined) {
          // Writing nothing makes the row where there is none, and keeps it from others.
          requireSame(toSettings(organizationId, await writeSettings(trx, organizationId, {}, at)));
        }
        const written = await writeSettings(trx, organizationId, columns, at);
        note('messaging', organizationId, organizationId);
        const detail = JSON.stringify(columns);
        const action = 'messaging.update';
        await audit.record(trx, [{ organizationId, actor, action, subject: organizationId, at, detail }]);
        return written;
      });
      return toSettings(organizationId, row);
    },
  };
}

export async function findMessagingSettings(
  db: Db,
  organizationIds: readonly string[],
): Promise<OrganizationMessagingRow[]> {
  if (organizationIds.length === 0) return [];
  return db.selectFrom('organization_messaging').selectAll().where('organization_id', 'in', organizationIds).execute();
}

type Columns = Partial<Omit<OrganizationMessagingRow, 'organization_id' | 'updated_at'>>;

const nothingSet = { default_region: null, messages_per_second: null, messages_per_day: null } as const;

function writeSettings(
  trx: Db,
  organizationId: string,
  columns: Columns,
  at: number,
): Promise<OrganizationMessagingRow> {
  return trx
    .insertInto('organization_messaging')
    .values({ organization_id: organizationId, ...nothingSet, ...columns, updated_at: at })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ ...columns, updated_at: at }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

function toSettings(organizationId: string, row: OrganizationMessagingRow | undefined): MessagingSettings {
  const { default_region, messages_per_second, messages_per_day } = row ?? nothingSet;
  return {
    organization_id: organizationId,
    default_region: default_region !== null && isRegion(default_region) ? default_region : null,
    messages_per_second,
    messages_per_day,
  };
}

const mostPerSecond = 1_000_000;
const mostPerDay = 1_000_000_000_000;

function toColumns({ defaultRegion, messagesPerSecond, messagesPerDay }: MessagingSettingsUpdate): Columns {
  return {
    ...(defaultRegion === undefined ? {} : { default_region: checkRegion(defaultRegion) }),
    ...(messagesPerSecond === undefined
      ? {}
      : { messages_per_second: checkQuota('messages_per_second', messagesPerSecond, mostPerSecond) }),
    ...(messagesPerDay === undefined
      ? {}
      : { messages_per_day: checkQuota('messages_per_day', messagesPerDay, mostPerDay) }),
  };
}

function checkRegion(region: string | null): Region | null {
  const upper = region?.toUpperCase();
  if (upper === undefined) return null;
  if (isRegion(upper)) return upper;
  throw new Problem('invalid_parameter', {
    field: 'default_region',
    detail:
      'default_region must be a country code of two letters with a telephone numbering plan, such as CN, or none.',
  });
}

function checkQuota(field: string, quota: number | null, most: number): number | null {
  if (quota === null || (Number.isInteger(quota) && quota >= 1 && quota <= most)) return quota;
  throw new Problem('invalid_parameter', {
    field,
    detail: `${field} must be a whole number from 1 to ${most}, or off.`,
  });
}
