import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type AuditTrail, createAuditTrail } from '../audit/audit-trail.ts';
import type { Database, DatabaseKind } from '../database/database.ts';
import { type DatabaseOptions, openDatabase } from '../database/open-database.ts';
import { lockSealingKey } from '../database/sealing-key.ts';
import { freshDatabase } from '../database/testing.ts';
import { systemClock } from '../runtime/clock.ts';
import { Problem, type ProblemCode } from '../runtime/problem.ts';
import { open, rewrap, type SealContext, seal, sealedKeyId } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { auditKeyStore, openAuditKey } from './audit-key.ts';
import { createMasterKeys, type MasterKeys, openMasterKeys, type SealedStore } from './master-keys.ts';

/** One database with any number of servers on it, each with its own key file. */
export interface InstanceWorld {
  readonly database: Database;
  /** For opening it in another process. */
  readonly options: DatabaseOptions;
  /** Another server's database: on PostgreSQL a pool, on SQLite its own threads. */
  connect(): Promise<Database>;
  /** The path of that key file. */
  fileOf(name: string): string;
  /** Starts a server on the given database, or on the first. */
  start(name: string, database?: Database): Promise<TestNode>;
}

export interface TestNode {
  readonly file: string;
  readonly database: Database;
  readonly audit: AuditTrail;
  readonly keys: MasterKeys;
  readonly stores: readonly SealedStore[];
}

export async function openInstanceWorld(t: TestContext, kind: DatabaseKind): Promise<InstanceWorld> {
  const fresh = await freshDatabase(kind);
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-instance-'));
  const others: Database[] = [];
  t.after(async () => {
    for (const database of others) await database.close();
    await fresh.close();
    rmSync(folder, { recursive: true });
  });
  const fileOf = (name: string) => join(folder, `${name}.key`);
  return {
    database: fresh.database,
    options: fresh.options,
    fileOf,
    async connect() {
      const database = await openDatabase(fresh.options);
      others.push(database);
      return database;
    },
    start: (name, database = fresh.database) => startNode(name, database, fileOf(name)),
  };
}

export async function startNode(name: string, database: Database, file: string): Promise<TestNode> {
  const needs = { database, file, clock: systemClock, nodeId: name };
  const ring = await openMasterKeys(needs);
  const audit = createAuditTrail(database, await openAuditKey(database, ring));
  const stores = [auditKeyStore(database), noteStore(database)];
  return { file, database, audit, keys: createMasterKeys(needs, audit, ring, stores), stores };
}

const prefix = 'note ';
const contextOf = (name: string): SealContext => ({ purpose: 'note', ids: [name] });

/** Seals a secret under its name, as a domain with secrets does. */
export async function keepNote(database: Database, ring: () => KeyRing, name: string): Promise<void> {
  await database.transaction(async (trx) => {
    const keys = ring();
    if (!(await lockSealingKey(trx, keys.current.id))) throw new Error(`master key ${keys.current.id} is retired`);
    const value = seal(keys, contextOf(prefix + name), Buffer.from(name));
    await trx
      .insertInto('instance_fact')
      .values({ name: prefix + name, value })
      .execute();
  });
}

function notesOf(db: Database['db']) {
  return db.selectFrom('instance_fact').selectAll().where('name', 'like', `${prefix}%`).orderBy('name').execute();
}

function noteStore(database: Database): SealedStore {
  return {
    name: 'notes',
    keysInUse: async (db) => (await notesOf(db)).map((note) => sealedKeyId(note.value)),
    async rewrap(ring, limit) {
      const due = (await notesOf(database.db)).filter((note) => sealedKeyId(note.value) !== ring.current.id);
      for (const { name, value } of due.slice(0, limit)) {
        await database.db
          .updateTable('instance_fact')
          .set({ value: rewrap(ring, contextOf(name), value) ?? value })
          .where('name', '=', name)
          .execute();
      }
      return Math.min(due.length, limit);
    },
    async check(ring) {
      const notes = await notesOf(database.db);
      for (const { name, value } of notes) {
        assert.equal(prefix + open(ring, contextOf(name), value).toString(), name);
      }
      return { sealed: notes.length, faults: [] };
    },
  };
}

/** Opens everything sealed, and returns the count. */
export async function openAll({ stores }: Pick<TestNode, 'stores'>, ring: KeyRing): Promise<number> {
  const checks = await Promise.all(stores.map((store) => store.check(ring)));
  assert.deepEqual(
    checks.flatMap((check) => check.faults),
    [],
  );
  return checks.reduce((sum, check) => sum + check.sealed, 0);
}

/** For `assert.rejects`: a Problem with this code, field and words. */
export function problem(code: ProblemCode, field: string | undefined, words: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof Problem, String(error));
    assert.deepEqual([error.code, error.field], [code, field], error.message);
    assert.match(error.message, words);
    return true;
  };
}
