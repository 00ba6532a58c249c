import { type RawBuilder, sql } from 'kysely';

/**
 * Statements that find given rows in a table one by one, by its index, whatever the planner believes of the table. One
 * that is almost empty when PostgreSQL counts it and large a second later is otherwise read from end to end for a
 * handful of rows, since one row was expected. (Measured: with six thousand waiting pushes, and counted when there was
 * one, a delete of four hundred took 3.5 s instead of 5 ms.)
 */
export interface KeyedJoin {
  /** To be run first in the transaction of such statements. */
  readonly first: readonly RawBuilder<unknown>[];
  /**
   * To be run first in a transaction whose statements find all their rows by keys. A plain join, update or delete then looks
   * its rows up too. A statement that needs rows in the order of an index does not belong there: it would sort them all.
   */
  readonly firstByKeys: readonly RawBuilder<unknown>[];
  /**
   * `source join table as alias on condition`, each row of the source looked up in the table.
   * @param on may name the columns of both
   */
  join(source: RawBuilder<unknown>, table: string, alias: string, on: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The same, with the rows of the source that have none in the table. */
  leftJoin(source: RawBuilder<unknown>, table: string, alias: string, on: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The condition that a text column is one of those that a query selects, which is run once, before. */
  oneOf(column: string, query: RawBuilder<unknown>): RawBuilder<boolean>;
}

/** https://www.sqlite.org/optoverview.html#manual_control_of_query_plans_using_cross_join */
export const sqliteKeyedJoin: KeyedJoin = {
  first: [],
  firstByKeys: [],
  join: (source, table, alias, on) => sql`${source} cross join ${sql.table(table)} as ${sql.ref(alias)} on ${on}`,
  leftJoin: (source, table, alias, on) => sql`${source} left join ${sql.table(table)} as ${sql.ref(alias)} on ${on}`,
  oneOf: (column, query) => sql`${sql.ref(column)} in (${query})`,
};

/**
 * `first`: PostgreSQL thinks that an index which has grown while it believes the table to be empty costs more than the table,
 * and so much that it compiles the statement first.
 *
 * `firstByKeys`: after an ANALYZE of a table that held nothing, PostgreSQL takes its index for one page, and thinks that
 * reading it from end to end costs no more than a look-up. (Measured under load: a delete of one group of parts from the
 * submit queue took over 4 s.) A bitmap scan always needs a key, so it is the only kind left.
 *
 * `join`: `offset 0` keeps a subquery as it is, and PostgreSQL then runs a lateral one for each row. `oneOf`: it makes the
 * array once. https://www.postgresql.org/docs/15/queries-table-expressions.html#QUERIES-LATERAL
 */
export const postgresKeyedJoin: KeyedJoin = {
  first: [sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`],
  firstByKeys: [
    sql`select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true),
      set_config('enable_indexonlyscan', 'off', true), set_config('jit', 'off', true)`,
  ],
  join: (source, table, alias, on) =>
    sql`${source} cross join lateral (
      select * from ${sql.table(table)} as ${sql.ref(alias)} where ${on} offset 0) as ${sql.ref(alias)}`,
  leftJoin: (source, table, alias, on) =>
    sql`${source} left join lateral (
      select * from ${sql.table(table)} as ${sql.ref(alias)} where ${on} offset 0) as ${sql.ref(alias)} on true`,
  oneOf: (column, query) => sql`${sql.ref(column)} = any(array(${query}))`,
};
