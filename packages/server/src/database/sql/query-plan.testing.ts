import assert from 'node:assert/strict';
import { CompiledQuery, type QueryResult, sql } from 'kysely';
import type { Database } from '../database.ts';
import { insertValues } from '../insert-values.testing.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * `scan`: a table or index is read as a whole; `sort`: rows are put in order that no index has in order; `part-sort`: the
 * rows that are equal in the first terms of the order are, or rows are put together that no index has together.
 */
export interface Waste {
  readonly kind: 'scan' | 'sort' | 'part-sort';
  readonly line: string;
}

export interface PlanRules {
  /** Whether a table, as statements call it, grows with an instance: small ones may be read as a whole. */
  isLarge(table: string): boolean;
  /**
   * `pressed`: PostgreSQL reads a table as a whole only where it must. For tables of a test that are so small that it would
   * rightly read them whole. `by keys`: as `lookUp.firstByKeys` leaves it. As it likes when left out.
   */
  readonly planner?: 'free' | 'pressed' | 'by keys';
}

/** What is asked of a store, by what it is. */
export type Questions = Readonly<Record<string, (database: Database) => Promise<unknown> | unknown>>;

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
  const rows = Array.from({ length: count }, (_, number) => row(number));
  await insertValues(database, database.db, table, rows);
}

interface JudgedRules extends PlanRules {
  allows(question: string, waste: Waste): boolean;
}

/** No statement of `questions` wastes anything but what is allowed, whether or not the planner has figures. */
export async function assertNoWaste(database: Database, questions: Questions, rules: JudgedRules): Promise<void> {
  // Nobody runs "analyze" on a SQLite file in use: the plan must be right without.
  if (database.dialect === 'sqlite') assert.deepEqual(await wasteOfAll(database, questions, rules), []);
  await sql`analyze`.execute(database.db);
  assert.deepEqual(await wasteOfAll(database, questions, rules), [], 'after analyze');
}

/** What is wasted by any statement of `questions`, but what is allowed to be, each with its question. */
async function wasteOfAll(database: Database, questions: Questions, rules: JudgedRules): Promise<string[]> {
  const found: string[] = [];
  for (const [question, ask] of Object.entries(questions)) {
    for (const statement of await statementsOf(database, ask)) {
      const waste = (await wasteOf(database, statement, rules)).filter((each) => !rules.allows(question, each));
      found.push(...waste.map(({ line }) => `${question}: ${line} by ${statement.sql}`));
    }
  }
  return found;
}

/**
 * The statements that a store sends; what they do is rolled back.
 * @param ask resolves with queries that were made and not sent, if there are any
 */
async function statementsOf(database: Database, ask: Questions[string]): Promise<readonly CompiledQuery[]> {
  const sent: CompiledQuery[] = [];
  const asking = database.transaction(async (trx) => {
    const db = trx.withPlugin({
      transformQuery({ node, queryId }) {
        sent.push(database.db.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const runBatch: Database['runBatch'] = async (queries, next) => {
      const results: QueryResult<unknown>[] = [];
      const run = async (each: CompiledQuery) => results.push(await trx.executeQuery(each));
      for (const query of queries) await run(query);
      const more = next?.([...results]) ?? [];
      for (const query of more) await run(query);
      sent.push(...queries, ...more);
      return results;
    };
    const recording = {
      ...database,
      db,
      runBatch,
      transaction: (work: (trx: typeof db) => Promise<unknown>) => work(db),
    };
    const made = await ask(recording as unknown as Database);
    if (Array.isArray(made)) sent.push(...made.filter((each) => typeof each === 'object' && 'sql' in each));
    throw nothingChanges;
  });
  await assert.rejects(asking, (error) => {
    if (error !== nothingChanges) throw error;
    return true;
  });
  assert.ok(sent.length > 0, 'nothing was asked');
  return sent;
}

/** The statements that anybody sends outside of transactions while `work` lasts, each once, with their last values. */
export async function statementsDuring(
  database: Database,
  work: () => Promise<unknown>,
): Promise<readonly CompiledQuery[]> {
  const sent = new Map<string, CompiledQuery>();
  const executor = database.db.getExecutor();
  const { executeQuery } = executor;
  executor.executeQuery = (query, ...rest) => {
    sent.set(query.sql, query);
    return executeQuery.call(executor, query, ...rest) as never;
  };
  try {
    await work();
  } finally {
    executor.executeQuery = executeQuery;
  }
  return [...sent.values()];
}

export async function wasteOf(
  database: Database,
  { sql: statement, parameters }: CompiledQuery,
  { isLarge, planner }: PlanRules,
): Promise<Waste[]> {
  const explain = database.dialect === 'sqlite' ? 'explain query plan' : 'explain (format json)';
  const rows = await database.transaction(async (trx) => {
    if (planner === 'pressed' && database.dialect === 'postgres')
      await sql`set local enable_seqscan = off`.execute(trx);
    if (planner === 'by keys') for (const query of database.lookUp.firstByKeys) await query.execute(trx);
    return (await trx.executeQuery<PlanLine>(CompiledQuery.raw(`${explain} ${statement}`, [...parameters]))).rows;
  });
  return rows.flatMap((row) =>
    'detail' in row ? wasteOnSqlite(row.detail, isLarge) : wasteOnPostgres(row['QUERY PLAN'][0].Plan, isLarge),
  );
}

type PlanLine = { readonly detail: string } | { readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] };

/**
 * https://www.sqlite.org/eqp.html: SEARCH reads a part, SCAN all of a table or an index. To sort by a last term only is
 * to sort the few rows that are equal in the others.
 */
function wasteOnSqlite(line: string, isLarge: PlanRules['isLarge']): Waste[] {
  const [, table = ''] = /^SCAN (\w+)/.exec(line) ?? [];
  if (isLarge(table)) return [{ kind: 'scan', line }];
  if (!line.startsWith('USE TEMP B-TREE')) return [];
  return [{ kind: line === 'USE TEMP B-TREE FOR ORDER BY' ? 'sort' : 'part-sort', line }];
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

function wasteOnPostgres(node: PlanNode, isLarge: PlanRules['isLarge']): Waste[] {
  const type = node['Node Type'];
  const table = node['Relation Name'] ?? '';
  const isWhole = type === 'Seq Scan' || (type.startsWith('Index') && node['Index Cond'] === undefined);
  const own: Waste[] = [];
  const index = node['Index Name'] === undefined ? '' : ` using index ${node['Index Name']}`;
  if (isLarge(table) && isWhole) own.push({ kind: 'scan', line: `${type} on ${table}${index}` });
  const inputs = node.Plans ?? [];
  const sorted = type.endsWith('Sort') ? (inputs[0]?.['Plan Rows'] ?? 0) : 0;
  if (sorted > fewRows) own.push({ kind: type === 'Sort' ? 'sort' : 'part-sort', line: `${type} of ${sorted} rows` });
  return [...own, ...inputs.flatMap((input) => wasteOnPostgres(input, isLarge))];
}
