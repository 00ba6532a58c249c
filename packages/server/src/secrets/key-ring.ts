import { toRfc3339 } from '../runtime/clock.ts';
import { KEY_BYTES, KeyMaterial, type RandomSource } from './key-material.ts';

export interface MasterKey {
  /** 16 lower-case hex characters, random. */
  readonly id: string;
  readonly key: KeyMaterial;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** The master keys of an instance. `current` seals; the others still open older secrets. */
export interface KeyRing {
  readonly current: MasterKey;
  /** Oldest first, `current` included. */
  readonly keys: readonly MasterKey[];
}

/** Bytes. */
export const KEY_ID_BYTES = 8;

const FORMAT = 'waxwing-master-keys';
const VERSION = 1;
const ABOUT =
  'Master keys of Waxwing. This file opens every sealed secret; without it they are lost. ' +
  'Keep a copy in a safe place, apart from the database.';

const idForm = /^[0-9a-f]{16}$/;
const keyForm = /^[0-9a-f]{64}$/;

export function newMasterKey(now: number, random: RandomSource): MasterKey {
  const id = Buffer.from(random(KEY_ID_BYTES)).toString('hex');
  return { id, key: new KeyMaterial(random(KEY_BYTES)), createdAt: now };
}

export function keyById(ring: KeyRing, id: string): MasterKey | undefined {
  // Mostly the current key, of two or three: a scan beats a map.
  return ring.current.id === id ? ring.current : ring.keys.find((key) => key.id === id);
}

/** The ring with one more key, as the current one. */
export function withCurrentKey(ring: KeyRing, key: MasterKey): KeyRing {
  return { current: key, keys: [...ring.keys, key] };
}

/** The ring with only the keys in `keepIds`. A fault when one is unknown or the current key is missing. */
export function withKeysOnly(ring: KeyRing, keepIds: readonly string[]): { ring: KeyRing } | { fault: string } {
  const stranger = keepIds.find((id) => keyById(ring, id) === undefined);
  if (stranger !== undefined) return { fault: `there is no master key ${stranger}` };
  if (!keepIds.includes(ring.current.id))
    return { fault: `the current master key ${ring.current.id} cannot be retired` };
  return { ring: { current: ring.current, keys: ring.keys.filter((key) => keepIds.includes(key.id)) } };
}

/** The text of a key file, with the keys in clear. */
export function formatKeyRing(ring: KeyRing): string {
  const keys = ring.keys.map(({ id, key, createdAt }) => {
    return { id, created_at: toRfc3339(createdAt), key: key.reveal().toString('hex') };
  });
  return `${JSON.stringify({ about: ABOUT, format: FORMAT, version: VERSION, current: ring.current.id, keys }, null, 2)}\n`;
}

/** Reads the text of a key file. A fault says what is wrong, and never repeats a piece of a key. */
export function parseKeyRing(text: string): { ring: KeyRing } | { fault: string } {
  const file = parseObject(text);
  if (file?.format !== FORMAT) return { fault: 'is not a Waxwing master key file' };
  if (file.version !== VERSION)
    return { fault: `has a format version other than ${VERSION}; use the release that wrote it` };
  if (!Array.isArray(file.keys)) return { fault: 'has no list of keys' };

  const keys: MasterKey[] = [];
  for (const [index, entry] of file.keys.entries()) {
    const parsed = parseKey(entry);
    if ('fault' in parsed) return { fault: `has a fault in keys[${index}]: ${parsed.fault}` };
    if (keys.some((key) => key.id === parsed.key.id)) return { fault: `has the key id ${parsed.key.id} twice` };
    keys.push(parsed.key);
  }
  const current = keys.find((key) => key.id === file.current);
  if (current === undefined) return { fault: 'names a current key that is not in its list' };
  return { ring: { current, keys } };
}

function parseKey(entry: unknown): { key: MasterKey } | { fault: string } {
  if (!isObject(entry)) return { fault: 'not an object' };
  const { id, key, created_at: createdAt } = entry;
  if (typeof id !== 'string' || !idForm.test(id)) return { fault: 'id is not 16 lower-case hex characters' };
  if (typeof key !== 'string' || !keyForm.test(key)) return { fault: 'key is not 64 lower-case hex characters' };
  const time = typeof createdAt === 'string' ? Date.parse(createdAt) : Number.NaN;
  if (Number.isNaN(time)) return { fault: 'created_at is not a time' };
  return { key: { id, key: new KeyMaterial(Buffer.from(key, 'hex')), createdAt: time } };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // V8's message quotes the text around the fault, which may be a key.
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
