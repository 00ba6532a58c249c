import { sql } from 'kysely';
import type { Database } from '../../packages/server/src/database/database.ts';

/** From `at` on (the database's clock, epoch ms) `holder` had the lease; undefined: none. */
interface Holding {
  readonly at: number;
  readonly holder: string | undefined;
}

export type LeaseHistory = ReadonlyMap<string, readonly Holding[]>;

/** Makes PostgreSQL record the holders of leases. */
export async function recordLeases(database: Database): Promise<void> {
  await database.transaction(async (trx) => {
    await sql`create table lease_history (
      number bigserial, name text, holder text, until bigint, at double precision
    )`.execute(trx);
    await sql`create function note_lease() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' or new.epoch <> old.epoch or new.until = 0 then
          insert into lease_history (name, holder, until, at)
          values (new.name, new.holder, new.until, extract(epoch from clock_timestamp()) * 1000);
        end if;
        return new;
      end $$`.execute(trx);
    // Waits for writers, so that none is missed.
    await sql`create trigger note_lease after insert or update on lease for each row execute function note_lease()`.execute(
      trx,
    );
    await sql`insert into lease_history (name, holder, until, at) select name, holder, until, 0 from lease`.execute(
      trx,
    );
  });
}

export async function readLeaseHistory({ db }: Database): Promise<LeaseHistory> {
  const { rows } = await sql<{ name: string; holder: string; until: number; at: number }>`
    select name, holder, until, at from lease_history order by number`.execute(db);
  const holdings = rows.map(({ name, holder, until, at }) => ({ name, at, holder: until > 0 ? holder : undefined }));
  return Map.groupBy(holdings, ({ name }) => name);
}

/** @param at epoch milliseconds */
export function holderAt(history: LeaseHistory, name: string, at: number): string | undefined {
  return history.get(name)?.findLast((holding) => holding.at <= at)?.holder;
}

/** Whether it held the lease at any moment of that time. */
export function wasHeldBy(
  history: LeaseHistory,
  name: string,
  holder: string | undefined,
  time: { readonly from: number; readonly until: number },
): boolean {
  const holdings = history.get(name) ?? [];
  return holdings.some((holding, index) => {
    const end = holdings[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    return holding.holder === holder && holding.at <= time.until && end > time.from;
  });
}

/** How many leases of a kind each server has: `push` or `carrier`. */
export async function countLeases({ db }: Database, kind: 'push' | 'carrier'): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ holder: string; leases: string }>`
    select holder, count(*) as leases from lease
    where name like ${`${kind}/%`} and until > extract(epoch from clock_timestamp()) * 1000
    group by holder`.execute(db);
  return new Map(rows.map(({ holder, leases }) => [holder, Number(leases)]));
}
