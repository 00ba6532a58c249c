import { SecretText } from './secret-text.ts';

const stars = '***';

/** In lower case, without `-` and `_`. */
const secretNames = new Set(['authorization', 'cookie', 'setcookie', 'key', 'pem', 'pfx', 'pkcs12', 'xapikey']);
const secretEndings = /(?:token|password|passphrase|secret|apikey|privatekey|masterkey|credential|credentials)$/;

export function isSecretName(name: string): boolean {
  const plain = name.replaceAll(/[-_]/g, '').toLowerCase();
  return secretNames.has(plain) || secretEndings.test(plain);
}

/**
 * Masks secrets of a known form: tokens, `Bearer` credentials, query values of secret names, passwords in URLs, and PEM
 * private keys. In JSON, a private key without its end goes on to the closing quote.
 */
export function scrubSecrets(text: string): string {
  if (!mayHoldSecret.test(text)) return text;
  return text
    .replaceAll(pemPrivateKey, '-----BEGIN PRIVATE KEY----- ***')
    .replaceAll(/\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi, `$1 ${stars}`)
    .replaceAll(/((?:key|token|password|passphrase|secret)(?:=|%3D))[^\s&"'#\\]+/gi, `$1${stars}`)
    .replaceAll(/(:\/\/[^\s/:@"'\\]*:)[^\s/@"'\\]+@/g, `$1${stars}@`)
    .replaceAll(/(wx[dma]_|whsec_)[\w+/=-]+/g, `$1${stars}`);
}

const mayHoldSecret = /wx[dma]_|whsec_|(?:=|%3D)|PRIVATE KEY|Bearer|Basic|:\/\//i;
// Text inside JSON: an unescaped quote ends it.
const inJson = String.raw`(?:\\.|[^"\\])*`;
const pemPrivateKey = new RegExp(
  `-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:${inJson}?-----END [A-Z0-9 ]*PRIVATE KEY-----|${inJson})`,
  'g',
);

const limits = { depth: 6, values: 500, entries: 50, text: 4096, causes: 4, stack: 3000 } as const;

/** How much of a record may still be copied. */
interface Room {
  values: number;
  /** Also stacks of errors whose message explains all (`isExplained`), and of their causes. */
  readonly allStacks: boolean;
}

/** A copy of a log record that is safe to serialize: bounded, with secrets masked by field name at any depth. */
export function redactFields(record: Readonly<Record<string, unknown>>, allStacks = true): Record<string, unknown> {
  return redactObject(record, limits.depth, { values: limits.values, allStacks });
}

function redactObject(record: object, depth: number, room: Room): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  const entries = Object.entries(record);
  for (const [name, value] of entries.slice(0, limits.entries)) copy[name] = redactField(name, value, depth, room);
  if (entries.length > limits.entries) copy.more = entries.length - limits.entries;
  return copy;
}

function redactField(name: string, value: unknown, depth: number, room: Room): unknown {
  const holdsText = typeof value === 'string' || (typeof value === 'object' && value !== null);
  return holdsText && isSecretName(name) ? stars : redactValue(value, depth, room);
}

function redactValue(value: unknown, depth: number, room: Room): unknown {
  if (typeof value === 'string') return shorten(value, limits.text);
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return '[function]';
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof SecretText) return stars;
  if (value instanceof Error) return describeError(value, limits.causes, room.allStacks);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  room.values -= 1;
  if (depth === 0 || room.values < 0) return '[deeper]';
  if (Array.isArray(value)) return redactList(value, depth - 1, room);
  if (value instanceof Set) return redactList([...value], depth - 1, room);
  if (value instanceof Map) return redactObject(Object.fromEntries(value), depth - 1, room);
  if (isPlain(value)) return redactObject(value, depth - 1, room);
  return 'toJSON' in value && typeof value.toJSON === 'function'
    ? redactValue(value.toJSON(), depth - 1, room)
    : `[${value.constructor.name}]`;
}

/** Not requests, sockets and connections, which are endless and full of secrets. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function redactList(list: readonly unknown[], depth: number, room: Room): unknown[] {
  const kept = list.slice(0, limits.entries).map((value) => redactValue(value, depth, room));
  return list.length > limits.entries ? [...kept, `[${list.length - limits.entries} more]`] : kept;
}

/** Only known fields: others of foreign errors may hold whole requests. */
function describeError(
  error: Error,
  causes: number,
  allStacks: boolean,
  isBelowExplained = false,
): Record<string, unknown> {
  const isExplained = isBelowExplained || ('isExplained' in error && error.isExplained === true);
  const withStack = allStacks || !isExplained;
  const describe = (cause: unknown) => describeCause(cause, causes, allStacks, isExplained);
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  const errors = error instanceof AggregateError ? error.errors.slice(0, limits.causes) : undefined;
  const description = {
    type: error.name,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    message: shorten(error.message, limits.text),
    ...(withStack && { stack: shorten(error.stack ?? '', limits.stack) }),
    ...(cause !== undefined && { cause: describe(cause) }),
    ...(errors !== undefined && { errors: errors.map(describe) }),
  };
  // Without a prototype, so that a framework's serializer does not call it an error of type "Object".
  return Object.assign(Object.create(null), description);
}

function describeCause(cause: unknown, causes: number, allStacks: boolean, isBelowExplained: boolean): unknown {
  if (!(cause instanceof Error)) return redactValue(cause, 1, { values: limits.entries, allStacks });
  return causes === 0 ? '[deeper]' : describeError(cause, causes - 1, allStacks, isBelowExplained);
}

function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
