import { alertTypes } from '@waxwing/contract/management-api/alert-notices.ts';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createSharedReading } from '../../runtime/shared-reading.ts';
import { countConditions } from './condition-store.ts';
import type { DeliveryNeeds } from './deliver-alerts.ts';

/** Over all servers on the database. While it does not answer there is no sample. */
export function createAlertMetric(registry: Registry, database: Database, clock: Clock): void {
  const read = createSharedReading(() => countConditions(database.db), clock);
  const types = alertTypes.filter((type) => type !== 'certificate.rollout-complete');
  new Gauge({
    name: 'waxwing_alerts_active',
    help: 'Conditions that alerts tell of and that last, by type, whether or not a channel hears of them. Over all servers on the database, as of the last look, and without samples while the database does not answer.',
    labelNames: ['type'],
    registers: [registry],
    async collect() {
      const counts = await read();
      this.reset();
      if (counts === undefined) return;
      const byType = new Map(counts.map(({ type, count }) => [type, count]));
      for (const type of types) this.set({ type }, byType.get(type) ?? 0);
    },
  });
}

export function createDeliveryMetric(registry: Registry): NonNullable<DeliveryNeeds['onResult']> {
  const total = new Counter({
    name: 'waxwing_alert_deliveries_total',
    help: 'Alerts that this server sent, by the kind of channel and the result: `sent`, `refused` (tried again later) or `failed` (given up).',
    labelNames: ['kind', 'result'],
    registers: [registry],
  });
  return (kind, result, alerts) => total.inc({ kind, result }, alerts);
}
