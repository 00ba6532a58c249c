import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredValue } from '../sql/stored-value.ts';
import type { Statement, StatementResult, Step } from './sqlite-message.ts';

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
  /** Known once it has run: before that SQLite may answer from a schema that another connection has changed. */
  columns?: readonly string[];
}

/** Runs requests on one SQLite connection, keeping the last `maxPrepared` statements prepared. */
export interface SqliteStatements {
  run(step: Step, statements: readonly Statement[]): readonly StatementResult[];
}

export function createSqliteStatements(connection: DatabaseSync, maxPrepared = 256): SqliteStatements {
  // A Map keeps the order of insertion: the first entry is the one not used for longest.
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known !== undefined) {
      prepared.delete(sql);
      prepared.set(sql, known);
      return known;
    }
    const statement = connection.prepare(sql);
    statement.setReturnArrays(true);
    const made: Prepared = { statement, returnsRows: statement.columns().length > 0 };
    prepared.set(sql, made);
    const [oldest] = prepared.keys();
    if (prepared.size > maxPrepared && oldest !== undefined) prepared.delete(oldest);
    return made;
  }

  function runStatement(sql: string, parameters: readonly StoredValue[]): StatementResult {
    const known = prepare(sql);
    if (!known.returnsRows) return [Number(known.statement.run(...parameters).changes), [], []];
    const rows = known.statement.all(...parameters) as unknown as StoredValue[][];
    known.columns ??= known.statement.columns().map((column) => column.name);
    // An insert, update or delete with `returning`: one row for each row changed.
    return [rows.length, known.columns, rows];
  }

  function runAll(statements: readonly Statement[]): StatementResult[] {
    return statements.map(([sql, parameters]) => runStatement(sql, parameters));
  }

  function rollback(): void {
    if (connection.isTransaction) connection.exec('rollback');
  }

  function runWhole(statements: readonly Statement[]): StatementResult[] {
    connection.exec('begin immediate');
    try {
      const results = runAll(statements);
      connection.exec('commit');
      return results;
    } catch (error) {
      rollback();
      throw error;
    }
  }

  function requireTransaction(): void {
    if (!connection.isTransaction) throw new Error('the transaction was rolled back by an earlier error');
  }

  return {
    run(step, statements) {
      switch (step) {
        case 'alone':
          return runAll(statements);
        case 'begin':
          connection.exec('begin immediate');
          return runAll(statements);
        case 'within':
          requireTransaction();
          return runAll(statements);
        case 'finish': {
          requireTransaction();
          const results = runAll(statements);
          connection.exec('commit');
          return results;
        }
        case 'commit':
          requireTransaction();
          connection.exec('commit');
          return [];
        case 'rollback':
          rollback();
          return [];
        case 'whole':
          return runWhole(statements);
        case 'forget':
        case 'close':
          prepared.clear();
          return [];
      }
    },
  };
}
