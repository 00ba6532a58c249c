import type { Kysely } from 'kysely';

/**
 * One forward step of the schema. Migrations are numbered from 1 without gaps and frozen once released; `up` runs inside
 * the transaction that also records it, and uses nothing of ours, so that a later change cannot alter what it did.
 */
export interface Migration {
  readonly id: number;
  readonly name: string;
  up(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Promise<void>;
}
