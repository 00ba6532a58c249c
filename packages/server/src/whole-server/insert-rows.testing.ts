import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';

const year = 365 * 86_400_000;
/** Of the first row, epoch milliseconds. */
export const firstMoment = 55 * year;
const rowsPerStatement = 100_000;

export type Value = RawBuilder<unknown>;

/** Each row is a second later than the one before. */
export const moment = sql`(${sql.lit(firstMoment)} + i * 1000)`;
export const number = sql`'+86' || (13800000000 + i)`;
export const blob = ({ dialect }: Database): Value =>
  dialect === 'sqlite' ? sql`zeroblob(100)` : sql`decode('00', 'hex')`;

/** An id like those of `newId` at the row's moment; the same for the same row and prefix. */
export function idSql({ dialect }: Database, prefix: number): Value {
  const hex = dialect === 'sqlite' ? sql`printf('%012x', ${moment})` : sql`lpad(to_hex(${moment}), 12, '0')`;
  const end = dialect === 'sqlite' ? sql`printf('%012x', i)` : sql`lpad(to_hex(i), 12, '0')`;
  return sql`substr(${hex}, 1, 8) || '-' || substr(${hex}, 9, 4) || ${sql.lit(`-7000-8${String(prefix).padStart(3, '0')}-`)} || ${end}`;
}

/** Makes rows inside the database. In each value `i` counts them from `first`. */
export async function insertRows(
  database: Database,
  { first: begin = 0, count }: { readonly first?: number; readonly count: number },
  table: string,
  columns: Readonly<Record<string, Value>>,
): Promise<void> {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  const values = sql.join(Object.values(columns));
  for (let from = begin; from < begin + count; from += rowsPerStatement) {
    const [first, last] = [sql.lit(from), sql.lit(Math.min(begin + count, from + rowsPerStatement) - 1)];
    const rows =
      database.dialect === 'sqlite'
        ? sql`with recursive n(i) as (select ${first} union all select i + 1 from n where i < ${last})
            select ${values} from n`
        : sql`select ${values} from (select cast(i as bigint) as i from generate_series(${first}, ${last}) as g(i)) as n`;
    await database.maintain((trx) => sql`insert into ${sql.table(table)} (${names}) ${rows}`.execute(trx));
  }
}
