import type { AlertNotice, AlertType } from '@waxwing/contract/management-api/alert-notices.ts';
import type { Alert } from '@waxwing/contract/management-api/operations/alert-operations.ts';
import type { Database } from '../database/database.ts';
import type { AlertRow } from '../database/schema/alert-tables.ts';
import type { Part } from '../database/sql/bounded-search.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { sentencesOf } from './rules/alert-sentences.ts';
import { type ListedDelivery, listAlerts, listDeliveries } from './telling/alert-store.ts';

const resolvedSuffix = '.resolved';

/** Alerts, newest first, each with its deliveries. @param organizationId empty: the instance's; undefined: all */
export async function listToldAlerts(
  { db }: Pick<Database, 'db'>,
  organizationId: string | undefined,
  part: Part,
): Promise<Alert[]> {
  const rows = await listAlerts(db, organizationId, part);
  const deliveries = await listDeliveries(
    db,
    rows.map(({ id }) => id),
  );
  const byAlert = Map.groupBy(deliveries, ({ alert_id }) => alert_id);
  const isForeign = ({ channel_organization_id }: ListedDelivery) =>
    (organizationId ?? '') !== '' && channel_organization_id !== organizationId;
  return rows.map((row) => {
    const all = byAlert.get(row.id) ?? [];
    const own = all.filter((each) => !isForeign(each)).map((each) => toDelivery(each, row.at));
    return { ...toAlert(row), deliveries: [...own, ...toOperators(all.filter(isForeign))] };
  });
}

function toAlert(row: AlertRow): Omit<Alert, 'deliveries'> {
  const parameters = JSON.parse(row.parameters) as Alert['parameters'];
  const resolved = row.type.endsWith(resolvedSuffix);
  return {
    id: row.id,
    organization_id: row.organization_id === '' ? null : row.organization_id,
    type: row.type,
    kind: (resolved ? row.type.slice(0, -resolvedSuffix.length) : row.type) as AlertType,
    resolved,
    at: toRfc3339(row.at),
    about_id: row.about_id,
    ...sentencesOf(row.notice as AlertNotice, parameters),
    notice: row.notice,
    parameters,
  };
}

/** An organization sees the channels of the instance as one, in the state of the one that came furthest. */
function toOperators(deliveries: readonly ListedDelivery[]): Alert['deliveries'] {
  const states = new Set(deliveries.map(({ state }) => state));
  const state = (['sent', 'waiting', 'failed'] as const).find((each) => states.has(each));
  if (state === undefined) return [];
  const hidden = { channel_id: null, kind: null, to: '', attempts: 0, due_at: null, ended_at: null, last_error: null };
  return [{ ...hidden, channel: 'the operators of the instance', state }];
}

function toDelivery(row: ListedDelivery, toldAt: number): Alert['deliveries'][number] {
  return {
    channel_id: row.channel_id,
    channel: row.channel,
    kind: row.kind,
    to: row.destination,
    state: row.state,
    attempts: row.attempts,
    due_at: row.state === 'waiting' ? toRfc3339(Math.max(row.retry_at, toldAt)) : null,
    ended_at: row.ended_at === null ? null : toRfc3339(row.ended_at),
    last_error: row.last_error,
  };
}
