import { type RawBuilder, sql } from 'kysely';

/** Bytes as a value to compute with: PostgreSQL has to be told what they are. */
export type Bytes = (value: Uint8Array) => RawBuilder<Uint8Array>;

export const sqliteBytes: Bytes = (value) => sql`${value}`;

export const postgresBytes: Bytes = (value) => sql`cast(${value} as bytea)`;
