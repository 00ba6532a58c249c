import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Database } from '../database/connect.ts';
import { databaseNow } from '../database/database-clock.ts';
import type { MasterKeyRow } from '../database/tables.ts';
import type { Clock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { keyCheck } from '../secrets/key-material.ts';
import { type KeyRing, keyById } from '../secrets/key-ring.ts';
import { addKey, createKeyRing, loadKeyRing, retireKeys } from '../secrets/master-key-file.ts';
import { deleteMasterKeysExcept, insertMasterKey, listMasterKeys, listNodes } from './instance-store.ts';
import { nodeTimeoutMs } from './node-heartbeat.ts';

/** Something that rests sealed and can be wrapped by another master key. Each domain with secrets has one. */
export interface SealedStore {
  readonly name: string;
  /** Ids of the master keys in use. */
  keysInUse(): Promise<readonly string[]>;
  /** Wraps at most `limit` secrets by the ring's current key; returns how many. */
  rewrap(ring: KeyRing, limit: number): Promise<number>;
  /** Opens everything and returns how many there are and which do not open. */
  check(ring: KeyRing): Promise<{ readonly sealed: number; readonly faults: readonly string[] }>;
}

export interface MasterKeys {
  /** The keys held now. Ask anew for every use: a rotation replaces them. */
  ring(): KeyRing;
  /** Reads the key file again when it was changed by hand or by another process. Keys held stay held. */
  reload(): void;
  /**
   * Makes a new key the current one and wraps every secret by it, while everything goes on. Interrupted at any point,
   * the next call finishes it before it makes another key.
   */
  rotate(actor: string): Promise<{ keyId: string; rewrapped: number; resumed: boolean }>;
}

interface Needs {
  readonly database: Database;
  readonly file: string;
  readonly clock: Clock;
  /** This server: it reads its own key file, whatever its last heartbeat said. */
  readonly nodeId: string;
}

const rewrapChunk = 200;

/**
 * Loads the key ring and proves that it fits the database; makes one where there is neither a file nor anything sealed.
 * @throws Problem that names the file and the remedy; nothing is written or overwritten then.
 */
export async function openMasterKeys({ database, file, clock }: Omit<Needs, 'nodeId'>): Promise<KeyRing> {
  const known = await listMasterKeys(database.db);
  const ring = loadOrCreate(file, known, clock.now());
  checkAgainst(ring, known, file);
  // Remembered before anything is sealed by it, so that a lost file is noticed instead of replaced.
  await rememberKey(database, ring);
  return ring;
}

function loadOrCreate(file: string, known: readonly MasterKeyRow[], now: number): KeyRing {
  try {
    return loadKeyRing(file);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    if (known.length === 0) return createKeyRing(file, now);
    throw misfit(
      `There is no master key file ${file}, but this database holds secrets sealed by master key ${known
        .map((row) => row.id)
        .join(', ')}. Restore the file from your copy; nothing was changed.`,
    );
  }
}

function checkAgainst(ring: KeyRing, known: readonly MasterKeyRow[], file: string): void {
  for (const row of known) {
    const key = keyById(ring, row.id);
    if (key === undefined) {
      throw misfit(
        `This database holds secrets sealed by master key ${row.id}, which ${file} does not hold. ` +
          'Restore the right file from your copy; nothing was changed.',
      );
    }
    if (keyCheck(key.key) !== row.key_check) {
      throw misfit(
        `The master key ${row.id} in ${file} is not the one this database was sealed by. ` +
          'Restore the right file from your copy; nothing was changed.',
      );
    }
  }
}

function misfit(detail: string): Problem {
  return new Problem('conflict', { field: 'WAXWING_MASTER_KEY_FILE', detail });
}

async function rememberKey(database: Database, ring: KeyRing): Promise<void> {
  const { id, key, createdAt } = ring.current;
  await insertMasterKey(database.db, { id, key_check: keyCheck(key), created_at: createdAt });
}

export function createMasterKeys(
  { database, file, clock, nodeId }: Needs,
  audit: AuditTrail,
  opened: KeyRing,
  stores: readonly SealedStore[],
): MasterKeys {
  let ring = opened;
  let rotating: Promise<unknown> | undefined;

  /** What the file holds, and what was held: a secret read a moment ago may still need a key that is retired now. */
  const hold = (next: KeyRing): void => {
    ring = { current: next.current, keys: [...next.keys, ...ring.keys.filter((key) => !keyById(next, key.id))] };
  };

  async function keysInUse(): Promise<Set<string>> {
    const ids = await Promise.all(stores.map((store) => store.keysInUse()));
    return new Set(ids.flat());
  }

  async function rewrapAll(): Promise<number> {
    let total = 0;
    for (const store of stores) {
      for (;;) {
        const done = await store.rewrap(ring, rewrapChunk);
        total += done;
        if (done === 0) break;
      }
    }
    return total;
  }

  async function rotate(actor: string): Promise<{ keyId: string; rewrapped: number; resumed: boolean }> {
    const onDisk = loadKeyRing(file);
    // More than one key in the file: a rotation before this one did not reach its end.
    const resumed = onDisk.keys.length > 1;
    hold(resumed ? onDisk : addKey(file, onDisk, clock.now()));
    await rememberKey(database, ring);
    await refuseUnlessOthersHold(database, nodeId, ring.current.id);
    let rewrapped = await rewrapAll();
    // A node that learned of the new key a moment later may have sealed something by the old one meanwhile.
    while ([...(await keysInUse())].some((id) => id !== ring.current.id)) rewrapped += await rewrapAll();
    await database.transaction(async (trx) => {
      await deleteMasterKeysExcept(trx, ring.current.id);
      await audit.record(trx, [
        {
          organizationId: '',
          actor,
          action: 'master-key.rotate',
          subject: ring.current.id,
          at: clock.now(),
          detail: JSON.stringify({ rewrapped, resumed }),
        },
      ]);
    });
    retireKeys(file, loadKeyRing(file), [ring.current.id]);
    return { keyId: ring.current.id, rewrapped, resumed };
  }

  return {
    ring: () => ring,
    reload: () => hold(loadKeyRing(file)),
    async rotate(actor) {
      if (rotating !== undefined) {
        throw new Problem('conflict', { detail: 'A rotation is under way already. Wait for its end.' });
      }
      const run = rotate(actor);
      rotating = run;
      try {
        return await run;
      } finally {
        rotating = undefined;
      }
    },
  };
}

/** @throws Problem `conflict` naming the servers that would not be able to open what is about to be sealed. */
async function refuseUnlessOthersHold(database: Database, nodeId: string, keyId: string): Promise<void> {
  const now = await databaseNow(database);
  const nodes = (await listNodes(database.db)).filter(
    (node) => node.id !== nodeId && node.seen_at > now - nodeTimeoutMs,
  );
  const without = nodes.filter((node) => (JSON.parse(node.key_ids) as string[])[0] !== keyId);
  if (without.length === 0) return;
  throw new Problem('conflict', {
    field: 'WAXWING_MASTER_KEY_FILE',
    detail:
      `The new master key ${keyId} is in the key file here, but not yet the current one on ${without.length} other ` +
      `server(s): ${without.map((node) => node.id).join(', ')}. Copy the file there, wait ten seconds, and run the ` +
      'command again: it goes on where it stopped.',
  });
}
