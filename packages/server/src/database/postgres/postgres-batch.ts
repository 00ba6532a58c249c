import type { Duplex } from 'node:stream';
import type { QueryResult } from 'kysely';
import type { Connection, Submittable } from 'pg';
import type { StoredValue } from '../sql/stored-value.ts';

export interface BatchStatement {
  readonly sql: string;
  readonly values: readonly StoredValue[];
}

type ValueParser = (text: string) => unknown;
/** How a value of a type, by its number, is read from its text. */
export type ParserOf = (type: number) => ValueParser;

/** What is used of pg's connection, in the form that it really has. */
interface Wire {
  readonly stream: Pick<Duplex, 'cork' | 'uncork'>;
  parse(statement: { readonly text: string }): void;
  bind(parameters: { readonly values: readonly (string | Buffer | null)[] }): void;
  describe(portal: { readonly type: 'P' }): void;
  execute(): void;
  sync(): void;
}

interface Column {
  readonly name: string;
  readonly parse: ValueParser;
}

type Results = readonly QueryResult<unknown>[];

/**
 * Statements that are sent together and answered together, for `Client.query` of pg: one round trip however many there are.
 * What stands before one "sync" is one transaction, unless the statements say otherwise, and when one fails the
 * server passes over all behind it.
 * https://www.postgresql.org/docs/15/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class PostgresBatch implements Submittable {
  readonly answered: Promise<Results>;
  /** Where pg looks for it, and puts one with its time limit instead. */
  callback: (error: unknown) => void;
  readonly #statements: readonly BatchStatement[];
  readonly #parserOf: ParserOf;
  readonly #results: QueryResult<unknown>[] = [];
  #columns: readonly Column[] = [];
  #rows: unknown[] = [];
  /** A value that cannot be read: the statements have run, and nobody may believe that it was not there. */
  #unreadable: { readonly error: unknown } | undefined;

  constructor(statements: readonly BatchStatement[], parserOf: ParserOf) {
    this.#statements = statements;
    this.#parserOf = parserOf;
    const { promise, resolve, reject } = Promise.withResolvers<Results>();
    this.answered = promise;
    this.callback = (error) => (error === null ? resolve(this.#results) : reject(error));
  }

  submit(connection: Connection): null {
    const wire = connection as unknown as Wire;
    wire.stream.cork();
    for (const { sql, values } of this.#statements) {
      wire.parse({ text: sql });
      wire.bind({ values: values.map(toParameter) });
      wire.describe({ type: 'P' });
      wire.execute();
    }
    wire.sync();
    wire.stream.uncork();
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: this.#parserOf(dataTypeID) }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this.#rows.push(toRecord(this.#columns, fields));
    } catch (error) {
      this.#unreadable ??= { error };
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#results.push({ ...affected(text), rows: this.#rows });
    this.#rows = [];
    this.#columns = [];
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handleReadyForQuery(): void {
    this.callback(this.#unreadable === undefined ? null : this.#unreadable.error);
  }

  handleError(error: unknown): void {
    this.callback(error);
  }
}

function toParameter(value: StoredValue): string | Buffer | null {
  if (typeof value === 'number') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

function toRecord(columns: readonly Column[], values: readonly (string | null)[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [index, { name, parse }] of columns.entries()) {
    const value = values[index] ?? null;
    record[name] = value === null ? null : parse(value);
  }
  return record;
}

/** As Kysely tells it: of statements that write. https://www.postgresql.org/docs/15/protocol-message-formats.html */
function affected(tag: string): { readonly numAffectedRows?: bigint } {
  const [, count] = /^(?:INSERT \d+|UPDATE|DELETE|MERGE) (\d+)$/.exec(tag) ?? [];
  return count === undefined ? {} : { numAffectedRows: BigInt(count) };
}
