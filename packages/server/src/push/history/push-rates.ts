import type { Database } from '../../database/database.ts';
import type { Clock } from '../../runtime/clock.ts';
import { sumMinutes } from './minute-store.ts';
import { minuteMs } from './push-figures.ts';

const minutes = 5;

/** What all nodes attempted in the last whole minutes. */
export async function readPushRates({ db }: Pick<Database, 'db'>, clock: Clock) {
  const now = Math.floor(clock.now() / minuteMs);
  return { minutes, ...(await sumMinutes(db, now - minutes, now)) };
}
