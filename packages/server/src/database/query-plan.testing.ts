import assert from 'node:assert/strict';
import { CompiledQuery, sql } from 'kysely';
import type { Database } from './connect.ts';
import type { Tables } from './tables.ts';

/** `scan`: a table or index is read as a whole; `sort`: rows are put in order that no index has in order. */
export interface Waste {
  readonly kind: 'scan' | 'sort';
  readonly line: string;
}

/** PostgreSQL rightly sorts a few rows rather than follow an index all over the table. */
const fewRows = 500;
const nothingChanges = new Error('rolled back');

/** Fills a table with `count` rows that `row` makes. */
export async function fillTable<Table extends keyof Tables & string>(
  database: Database,
  table: Table,
  count: number,
  row: (number: number) => Tables[Table],
): Promise<void> {
  const columns = Object.keys(row(0)) as (keyof Tables[Table] & string)[];
  const rows = Array.from({ length: count }, (_, number) => Object.values(row(number)));
  await database.bulkInsert(database.db, table, columns, rows);
}

/**
 * The statements that a store sends; what they do is rolled back.
 * @param ask resolves with queries that were made and not sent, if there are any
 */
export async function statementsOf(
  database: Database,
  ask: (database: Database) => Promise<readonly CompiledQuery[] | unknown>,
): Promise<readonly CompiledQuery[]> {
  const sent: CompiledQuery[] = [];
  const asking = database.transaction(async (trx) => {
    const db = trx.withPlugin({
      transformQuery({ node, queryId }) {
        sent.push(database.db.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const recording = { ...database, db, transaction: (work: (trx: typeof db) => Promise<unknown>) => work(db) };
    const made = await ask(recording as unknown as Database);
    if (Array.isArray(made)) sent.push(...made.filter((each) => 'sql' in each));
    throw nothingChanges;
  });
  await assert.rejects(asking, (error) => {
    if (error !== nothingChanges) throw error;
    return true;
  });
  assert.ok(sent.length > 0, 'nothing was asked');
  return sent;
}

/** @param isLarge whether a table grows with an instance: small ones may be read as a whole */
export async function wasteOf(
  database: Database,
  { sql: statement, parameters }: CompiledQuery,
  isLarge: (table: string) => boolean,
): Promise<Waste[]> {
  if (database.dialect === 'sqlite') {
    const explain = CompiledQuery.raw(`explain query plan ${statement}`, [...parameters]);
    const { rows } = await database.db.executeQuery<{ detail: string }>(explain);
    return rows.flatMap(({ detail }) => wasteOnSqlite(detail, isLarge));
  }
  const rows = await database.transaction(async (trx) => {
    // The tables of a test are small enough that reading them whole is often right: asked is whether it must be.
    await sql`set local enable_seqscan = off`.execute(trx);
    const explain = CompiledQuery.raw(`explain (format json) ${statement}`, [...parameters]);
    return (await trx.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain)).rows;
  });
  return rows.flatMap((row) => wasteOnPostgres(row['QUERY PLAN'][0].Plan, isLarge));
}

/**
 * https://www.sqlite.org/eqp.html: SEARCH reads a part, SCAN all of a table or an index. To sort by a last term only is
 * to sort the few rows that are equal in the others.
 */
function wasteOnSqlite(line: string, isLarge: (table: string) => boolean): Waste[] {
  const [, table = ''] = /^SCAN (\w+)/.exec(line) ?? [];
  if (isLarge(table)) return [{ kind: 'scan', line }];
  return line === 'USE TEMP B-TREE FOR ORDER BY' ? [{ kind: 'sort', line }] : [];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  /** What it expects to give. */
  readonly 'Plan Rows': number;
  readonly Plans?: readonly PlanNode[];
}

function wasteOnPostgres(node: PlanNode, isLarge: (table: string) => boolean): Waste[] {
  const type = node['Node Type'];
  const table = node['Relation Name'] ?? '';
  const isWhole = type === 'Seq Scan' || (type.startsWith('Index') && node['Index Cond'] === undefined);
  const own: Waste[] = [];
  const index = node['Index Name'] === undefined ? '' : ` using index ${node['Index Name']}`;
  if (isLarge(table) && isWhole) own.push({ kind: 'scan', line: `${type} on ${table}${index}` });
  const inputs = node.Plans ?? [];
  const sorted = type.endsWith('Sort') ? (inputs[0]?.['Plan Rows'] ?? 0) : 0;
  if (sorted > fewRows) own.push({ kind: 'sort', line: `${type} of ${sorted} rows` });
  return [...own, ...inputs.flatMap((input) => wasteOnPostgres(input, isLarge))];
}
