import type { PushKind } from '@waxwing/contract/push-request.ts';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { minuteMs } from './push-figures.ts';

/** What became of the latest attempts of a push setting that is switched on. Times are the beginnings of minutes. */
export interface SettingOutcome {
  readonly organizationId: string;
  readonly id: string;
  readonly kind: PushKind;
  /** Of its URL. */
  readonly host: string;
  /** The last minute with a delivery; null where none is known. Minutes are kept for a day. */
  readonly deliveredAt: number | null;
  /** The first minute after that with attempts, and the last one. */
  readonly failedFrom: number | null;
  readonly failedUntil: number | null;
  readonly isWaiting: boolean;
  /** When the setting was last changed. */
  readonly changedAt: number;
}

export async function readSettingOutcomes(database: Pick<Database, 'db'>): Promise<readonly SettingOutcome[]> {
  const own = sql`m.organization_id = s.organization_id and m.setting_id = s.id`;
  const query = sql<Row>`
    select s.organization_id as "organizationId", s.id, s.kind, s.url, s.changed, s.delivered,
      (select min(m.minute) from push_minute m where ${own} and m.minute > coalesce(s.delivered, 0)) as first,
      (select max(m.minute) from push_minute m where ${own} and m.minute > coalesce(s.delivered, 0)) as last,
      case when exists (select 1 from push p where p.shard = s.shard and p.setting_id = s.id) then 1 else 0 end as waiting
    from (
      select s.organization_id, s.id, s.kind, s.url, s.shard, s.updated_at as changed,
        (select max(m.minute) from push_minute m where ${own} and m.delivered > 0) as delivered
      from push_setting s where s.enabled = 1
    ) s`;
  const { rows } = await query.execute(database.db);
  return rows.map(({ organizationId, id, kind, url, changed, delivered, first, last, waiting }) => ({
    ...{ organizationId, id, kind },
    host: URL.parse(url)?.host ?? '',
    deliveredAt: momentOf(delivered),
    failedFrom: momentOf(first),
    failedUntil: momentOf(last),
    isWaiting: waiting === 1,
    changedAt: changed,
  }));
}

interface Row {
  readonly organizationId: string;
  readonly id: string;
  readonly kind: PushKind;
  readonly url: string;
  readonly changed: number;
  readonly delivered: number | null;
  readonly first: number | null;
  readonly last: number | null;
  readonly waiting: number;
}

function momentOf(minute: number | null): number | null {
  return minute === null ? null : minute * minuteMs;
}
