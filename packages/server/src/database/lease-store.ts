import { type RawBuilder, sql } from 'kysely';
import { type LeaseStore, type LeaseSurvey, longestLeaseMs } from '../runtime/lease.ts';
import type { Database, Db } from './database.ts';
import { nowSql } from './database-clock.ts';

interface Needs {
  readonly database: Database;
  /** The leases' names are `group/1`, say; those that take part are `group@holder`. */
  readonly group: string;
  readonly all: readonly string[];
  readonly durationMs: number;
}

/** How long somebody that took part once is remembered. */
const forgetMs = 24 * 3_600_000;

/** Leases as rows; see runtime/lease.ts. */
export function createLeaseStore({ database, group, all, durationMs }: Needs): LeaseStore {
  const now = nowSql(database.dialect);
  const until = sql<number>`${now} + ${sql.lit(durationMs)}`;
  /** As `isHeld` says it. */
  const lives = sql<boolean>`(until > ${now} and until <= ${now} + ${sql.lit(longestLeaseMs)})`;
  const presence = (holder: string) => `${group}@${holder}`;

  async function announce(trx: Db, holder: string): Promise<void> {
    await sql`
      insert into lease (name, holder, epoch, until) values (${presence(holder)}, ${holder}, 0, ${until})
      on conflict (name) do update set until = excluded.until`.execute(trx);
  }

  async function extend(trx: Db, holder: string, names: readonly string[]): Promise<Map<string, number>> {
    if (names.length === 0) return new Map();
    const rows = await lockedInOrder(database, trx, names)
      .set({ until })
      .where('holder', '=', holder)
      .returning(['name', 'epoch'])
      .execute();
    return toEpochs(rows);
  }

  async function survey(trx: Db, holder: string): Promise<Omit<LeaseSurvey, 'renewed'>> {
    const rows = await trx
      .selectFrom('lease')
      .select(['name', 'holder', sql<number>`case when ${lives} then 1 else 0 end`.as('lives')])
      .where((where) => where.or([where('name', 'like', `${group}/%`), where('name', 'like', `${group}@%`)]))
      .execute();
    const byName = new Map(rows.map((row) => [row.name, row]));
    const isFree = (name: string) => byName.get(name)?.lives !== 1 || byName.get(name)?.holder === holder;
    return {
      free: all.filter(isFree),
      holders: rows.filter((row) => row.name.startsWith(`${group}@`) && row.lives === 1).length,
    };
  }

  return {
    renew: (holder, held) =>
      database.transaction(async (trx) => {
        await announce(trx, holder);
        return { renewed: await extend(trx, holder, held), ...(await survey(trx, holder)) };
      }),

    take: (holder, names) =>
      database.transaction(async (trx) => {
        await insertMissing(trx, names);
        const rows = await lockedInOrder(database, trx, names)
          .set({ holder, until, epoch: sql<number>`epoch + 1` })
          .where((where) => where.or([where.not(lives), where('holder', '=', holder)]))
          .returning(['name', 'epoch'])
          .execute();
        return toEpochs(rows);
      }),

    async release(holder, names, leave) {
      const given = leave ? [...names, presence(holder)] : names;
      if (given.length === 0) return;
      await database.transaction(async (trx) => {
        await lockedInOrder(database, trx, given).set({ until: 0 }).where('holder', '=', holder).execute();
        if (!leave) return;
        await trx
          .deleteFrom('lease')
          .where('name', 'like', `${group}@%`)
          .where('until', '<', sql<number>`${now} - ${sql.lit(forgetMs)}`)
          .execute();
      });
    },
  };
}

/**
 * Keeps leases as they are until the transaction ends, so that all its statements see the same holders. On SQLite
 * there is one writer, and nothing to be done.
 */
export function lockLeases(database: Database, names: readonly string[]): RawBuilder<unknown>[] {
  if (database.dialect === 'sqlite') return [];
  return [sql`select 1 from lease where name = any(${toArray(names)}::text[]) order by name for share`];
}

/** Whether a lease still has this epoch. If so, it keeps it until the transaction ends. */
export async function holdLease(trx: Db, name: string, epoch: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('lease')
    .set((row) => ({ epoch: row.ref('epoch') }))
    .where('name', '=', name)
    .where('epoch', '=', epoch)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** An update of these leases that locks them in one order, so that no two wait for each other's. */
function lockedInOrder(database: Database, trx: Db, names: readonly string[]) {
  const update = trx.updateTable('lease');
  if (database.dialect === 'sqlite') return update.where('name', 'in', names);
  const locked = sql<string>`(select name from lease where name = any(${toArray(names)}::text[]) order by name for update)`;
  return update.where('name', 'in', locked);
}

/** An array in PostgreSQL's text form: our parameters are single values. */
function toArray(names: readonly string[]): string {
  return `{${names.map((name) => `"${name.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

async function insertMissing(trx: Db, names: readonly string[]): Promise<void> {
  await trx
    .insertInto('lease')
    .values(names.map((name) => ({ name, holder: '', epoch: 0, until: 0 })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function toEpochs(rows: readonly { name: string; epoch: number }[]): Map<string, number> {
  return new Map(rows.map(({ name, epoch }) => [name, epoch]));
}
