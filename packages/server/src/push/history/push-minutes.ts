import type { Database } from '../../database/database.ts';
import type { PushMinuteRow } from '../../database/schema/push-tables.ts';
import { isDelivered, type Outcome } from '../../outbound/outcome.ts';
import type { Clock } from '../../runtime/clock.ts';
import { addMinutes } from './minute-store.ts';
import { bucketNames, bucketOf, minuteMs } from './push-figures.ts';

/** Counts attempts by setting and minute, for people: an attempt costs memory alone, and all of them one statement now and then. */
export interface PushMinutes {
  attempted(setting: { readonly organizationId: string; readonly id: string }, outcome: Outcome): void;
  /** Writes the counts since the last time. Counts that cannot be written are kept for the next time. */
  flush(): Promise<void>;
}

/** More settings and minutes than that wait for a database that is away: they are figures, and go uncounted. */
const maxKept = 20_000;

export function createPushMinutes({ database, clock }: { database: Database; clock: Clock }): PushMinutes {
  let counted = new Map<string, PushMinuteRow>();

  /** Undefined when too many are kept already. */
  function rowOf(organizationId: string, id: string, minute: number): PushMinuteRow | undefined {
    const key = keyOf(id, minute);
    if (!counted.has(key)) add(emptyMinute(organizationId, id, minute));
    return counted.get(key);
  }

  function add(row: PushMinuteRow): void {
    const key = keyOf(row.setting_id, row.minute);
    const known = counted.get(key);
    if (known === undefined) {
      if (counted.size < maxKept) counted.set(key, row);
      return;
    }
    known.delivered += row.delivered;
    for (const name of bucketNames) known[name] += row[name];
  }

  return {
    attempted({ organizationId, id }, outcome) {
      // What we ended ourselves says nothing about the receiver.
      if (outcome.kind === 'cutOff') return;
      const row = rowOf(organizationId, id, Math.floor(clock.now() / minuteMs));
      if (row === undefined) return;
      row.delivered += isDelivered(outcome) ? 1 : 0;
      row[bucketNames[bucketOf(outcome.ms)] ?? 'b0'] += 1;
    },

    async flush() {
      if (counted.size === 0) return;
      const writing = counted;
      counted = new Map();
      try {
        await addMinutes(database, [...writing.values()]);
      } catch (error) {
        for (const row of writing.values()) add(row);
        throw error;
      }
    },
  };
}

const keyOf = (settingId: string, minute: number): string => `${settingId} ${minute}`;

function emptyMinute(organizationId: string, settingId: string, minute: number): PushMinuteRow {
  const row = { organization_id: organizationId, setting_id: settingId, minute, delivered: 0 } as PushMinuteRow;
  for (const name of bucketNames) row[name] = 0;
  return row;
}
