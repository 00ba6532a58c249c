import type { AuditTrail, RecordedEvent } from '../audit/audit-trail.ts';
import type { Ground } from '../audit/ground.ts';
import type { Database, Db } from '../database/database.ts';
import { databaseNow } from '../database/database-clock.ts';
import type { MasterKeyRow } from '../database/schema/instance-tables.ts';
import { storageFault } from '../database/sqlite/storage-fault.ts';
import { Problem } from '../runtime/problem.ts';
import { keyCheck } from '../secrets/key-material.ts';
import { type KeyRing, keyById, type MasterKey } from '../secrets/key-ring.ts';
import {
  addKey,
  createFirstKey,
  loadKeyRing,
  nameFirstKey,
  retireKeys,
  ringIfThere,
  unnamedFirstKey,
} from '../secrets/master-key-file.ts';
import {
  deleteMasterKeysExcept,
  insertMasterKey,
  isAlive,
  listMasterKeys,
  listNodes,
  lockFirstStart,
} from './instance-store.ts';
import { LostDatabase } from './lost-database.ts';

/** The sealed secrets of one domain, for the master-key rotation. */
export interface SealedStore {
  readonly name: string;
  /** Ids of the master keys in use, as `db` sees them. */
  keysInUse(db: Db): Promise<readonly string[]>;
  /** Wraps at most `limit` secrets by the ring's current key, and returns how many. */
  rewrap(ring: KeyRing, limit: number): Promise<number>;
  /** Opens everything, and returns the count and the secrets that do not open. */
  check(ring: KeyRing): Promise<{ readonly sealed: number; readonly faults: readonly string[] }>;
}

export interface MasterKeys {
  /** The held keys. `current` seals. Read it for every use, because a rotation replaces the ring. */
  ring(): KeyRing;
  /** Reads the key file again if it changed, and seals by the key that the database names. Held keys stay held. */
  reload(): Promise<void>;
  /** Ids of keys in use that this server did not hold at its last look. */
  lacking(): readonly string[];
  /**
   * Makes a new key current and wraps every secret by it, while the service runs. After an interruption the next call
   * finishes the rotation before it makes another key.
   *
   * Order: the file gets the new key; every live server must hold it; the database remembers it, and servers begin to
   * seal by it; every secret is wrapped anew; the database and then the file forget the old key. Secrets are only ever
   * sealed by a key that the database remembers (see `lockSealingKey`).
   */
  rotate(actor: string): Promise<{ keyId: string; rewrapped: number; resumed: boolean }>;
}

interface Needs extends Pick<Ground, 'database' | 'clock'> {
  readonly file: string;
  /** This server, which reads its own key file instead of its last heartbeat. */
  readonly nodeId: string;
}

const rewrapChunk = 200;

/**
 * Loads the key ring and checks that it fits the database. Makes one where there is neither a file nor a sealed secret.
 * If several servers start for the first time at once, the first one's key counts and the others are refused.
 *
 * A first key has its own file name until the database remembers it. So an interrupted start goes on, and a key file
 * beside a database without keys must belong to another database.
 * @throws LostDatabase when the key file belongs to another database, unless `isNew`
 * @throws Problem that names the file and the remedy, with nothing written
 */
export async function openMasterKeys({ database, file, clock, isNew = false }: OpeningNeeds): Promise<KeyRing> {
  const known = await listMasterKeys(database.db);
  if (known.length > 0) return fittingRing(file, known);
  const { ring, isFirst } = await database.transaction(async (trx) => {
    await lockFirstStart(trx);
    const found = await listMasterKeys(trx);
    if (found.length > 0) return { ring: fittingRing(file, found), isFirst: false };
    const given = ringIfThere(file);
    if (given !== undefined && !isNew) throw new LostDatabase(file);
    const opened = given ?? createFirstKey(file, clock.now());
    // Remembered before it seals anything, so that a lost file is noticed, not replaced.
    await rememberKey(trx, opened.current);
    return { ring: opened, isFirst: given === undefined };
  });
  if (isFirst) nameFirstKey(file);
  return ring;
}

interface OpeningNeeds extends Omit<Needs, 'nodeId'> {
  /** The operator begins a new instance with the file's key. */
  readonly isNew?: boolean;
}

/** The file's ring, with the key that the database names as the current one. */
function fittingRing(file: string, known: readonly MasterKeyRow[]): KeyRing {
  const ring = loadExisting(file, known);
  checkAgainst(ring, known, file);
  // A key only in the file waits for a rotation to bring it into use.
  if (known.some((row) => row.id === ring.current.id)) return ring;
  const used = keyById(ring, known.at(-1)?.id ?? '');
  return used === undefined ? ring : { ...ring, current: used };
}

function loadExisting(file: string, known: readonly MasterKeyRow[]): KeyRing {
  const ring = ringIfThere(file);
  if (ring !== undefined) return ring;
  // The first start ended between remembering its key and naming it.
  const first = unnamedFirstKey(file);
  if (first !== undefined && known.every(({ id }) => id === first.current.id)) {
    nameFirstKey(file);
    return loadKeyRing(file);
  }
  // Another server in its first start may have named it in between.
  const named = ringIfThere(file);
  if (named !== undefined) return named;
  throw misfit(
    `There is no master key file ${file}, but this database holds secrets sealed by master key ${known
      .map((row) => row.id)
      .join(', ')}. Restore the file from your copy; nothing was changed.`,
  );
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

/** Changes the key file. @throws Problem when it cannot be written; the next rotation goes on from there */
function changeFile<T>(file: string, change: () => T): T {
  try {
    return change();
  } catch (cause) {
    const fault = storageFault(file, cause);
    if (fault === undefined) throw cause;
    throw new Problem('service_unavailable', {
      field: 'WAXWING_MASTER_KEY_FILE',
      detail:
        `The master key file ${file} cannot be replaced: ${fault.reason}. ${fault.remedy} ` +
        'Then run the command again. No key is lost.',
      cause,
    });
  }
}

async function rememberKey(db: Db, { id, key, createdAt }: MasterKey): Promise<void> {
  await insertMasterKey(db, { id, key_check: keyCheck(key), created_at: createdAt });
}

export function createMasterKeys(
  { database, file, clock, nodeId }: Needs,
  audit: AuditTrail,
  opened: KeyRing,
  stores: readonly SealedStore[],
): MasterKeys {
  let ring = opened;
  let rotating = false;
  let lacking: readonly string[] = [];

  /** Keeps the held keys: a secret read a moment ago may still need a retired one. */
  const hold = (next: KeyRing, current: MasterKey): void => {
    ring = { current, keys: [...next.keys, ...ring.keys.filter((key) => keyById(next, key.id) === undefined)] };
  };

  async function rewrapAll(): Promise<number> {
    let total = 0;
    for (const store of stores) {
      let done: number;
      do {
        done = await store.rewrap(ring, rewrapChunk);
        total += done;
      } while (done > 0);
    }
    return total;
  }

  /** Makes the database forget the former keys. @returns false while a secret still needs one */
  async function forgetFormerKeys(entry: Omit<RecordedEvent, 'at'>): Promise<boolean> {
    const stillNeeded = new Error('a former master key is still in use');
    try {
      await database.transaction(async (trx) => {
        // Waits for transactions that seal by a former key, and refuses later ones.
        await deleteMasterKeysExcept(trx, ring.current.id);
        for (const store of stores) {
          const ids = await store.keysInUse(trx);
          if (ids.some((id) => id !== ring.current.id)) throw stillNeeded;
        }
        await audit.record(trx, [{ ...entry, at: clock.now() }]);
      });
      return true;
    } catch (error) {
      if (error === stillNeeded) return false;
      throw error;
    }
  }

  async function rotate(actor: string): Promise<{ keyId: string; rewrapped: number; resumed: boolean }> {
    const onDisk = loadKeyRing(file);
    checkAgainst(onDisk, await listMasterKeys(database.db), file);
    // More than one key in the file: the previous rotation did not finish.
    const resumed = onDisk.keys.length > 1;
    const next = resumed ? onDisk : changeFile(file, () => addKey(file, onDisk, clock.now()));
    const keyId = next.current.id;
    hold(next, ring.current);
    await refuseUnlessOthersHold(database, nodeId, keyId);
    await rememberKey(database.db, next.current);
    hold(next, next.current);
    let rewrapped = 0;
    for (let forgotten = false; !forgotten; ) {
      rewrapped += await rewrapAll();
      const detail = JSON.stringify({ rewrapped, resumed });
      forgotten = await forgetFormerKeys({
        organizationId: '',
        actor,
        action: 'master-key.rotate',
        subject: keyId,
        detail,
      });
    }
    changeFile(file, () => retireKeys(file, loadKeyRing(file), [keyId]));
    return { keyId, rewrapped, resumed };
  }

  return {
    ring: () => ring,
    async reload() {
      const known = await listMasterKeys(database.db);
      try {
        const next = fittingRing(file, known);
        // While this process rotates, only the rotation changes the sealing key.
        hold(next, rotating ? ring.current : next.current);
      } finally {
        lacking = known.map(({ id }) => id).filter((id) => keyById(ring, id) === undefined);
      }
    },
    lacking: () => lacking,
    async rotate(actor) {
      if (rotating) throw new Problem('conflict', { detail: 'A rotation is running already. Wait for its end.' });
      rotating = true;
      try {
        return await rotate(actor);
      } finally {
        rotating = false;
      }
    },
  };
}

/** @throws Problem `conflict` naming the servers that could not open secrets sealed by the key */
async function refuseUnlessOthersHold(database: Database, nodeId: string, keyId: string): Promise<void> {
  const now = await databaseNow(database);
  const without = (await listNodes(database.db)).filter(
    (node) => node.id !== nodeId && isAlive(node, now) && !(JSON.parse(node.key_ids) as string[]).includes(keyId),
  );
  if (without.length === 0) return;
  throw new Problem('conflict', {
    field: 'WAXWING_MASTER_KEY_FILE',
    detail:
      `The new master key ${keyId} is in the key file here, but not yet on ${without.length} other server(s): ` +
      `${without.map((node) => node.id).join(', ')}. Copy the file there, wait ten seconds, and run the ` +
      'command again: it continues. Until then the former key stays in use everywhere.',
  });
}
