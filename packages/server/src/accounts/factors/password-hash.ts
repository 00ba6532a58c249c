import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { Problem } from '../../runtime/problem.ts';
import { createWorkQueue } from '../../runtime/work-queue.ts';
import type { RandomSource } from '../../secrets/key-material.ts';
import { normalizedPassword } from './password-rules.ts';

/** Argon2id (RFC 9106): memory in KiB, passes over it, lanes. */
export interface Argon2Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The first of the parameters that OWASP recommends (Password Storage Cheat Sheet): 19 MiB, twice. */
export const standardParameters: Argon2Parameters = { memory: 19_456, passes: 2, parallelism: 1 };

export type PasswordCaller = 'known' | 'stranger';

export interface PasswordHasher {
  /** The hash of a password that is being set, in the PHC string format. @throws Problem `service_unavailable` */
  hash(password: string): Promise<string>;
  /**
   * Compares. Without a hash it takes the same time and answers false.
   * @param caller people whose browser or session is known go first and have a queue of their own, so that a flood of
   * strangers signs no person out
   * @throws Problem `service_unavailable` when too many wait
   */
  verify(password: string, stored: string | null, caller?: PasswordCaller): Promise<boolean>;
  /** Whether a hash was made with other parameters than those of today. */
  isOutdated(stored: string): boolean;
  /** How many computations run or wait. */
  readonly busy: number;
}

export interface PasswordHasherOptions {
  readonly parameters?: Argon2Parameters;
  /**
   * At once. Each takes 19 MiB and one of the four threads that file access and name look-ups need as well; with two,
   * there is room for them.
   */
  readonly concurrency?: number;
  /** Of each kind of caller; beyond it they are refused at once. The last of 32 waits for a second, 2.5 s on busy cores. */
  readonly waiting?: number;
  readonly random?: RandomSource;
}

const saltBytes = 16;
const hashBytes = 32;
const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Runs off the main thread: 40 ms for one on the idle 2-core reference machine, 63 ms (median) on a busy one (Node 26.10). */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { parameters = standardParameters, concurrency = 2, waiting = 32, random = randomBytes } = options;
  const inTurn = createWorkQueue<PasswordCaller>({ concurrency, waiting, first: 'known', refusal: tooMany });
  const nobody = { parameters, salt: Buffer.alloc(saltBytes), hash: Buffer.alloc(hashBytes) };

  return {
    async hash(password) {
      const salt = random(saltBytes);
      const hash = await inTurn.run(() => compute(password, parameters, salt), 'known');
      const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');
      return `${headOf(parameters)}${base64(salt)}$${base64(hash)}`;
    },
    async verify(password, stored, caller = 'known') {
      const known = stored === null ? undefined : parse(stored);
      const { parameters: made, salt, hash } = known ?? nobody;
      const given = await inTurn.run(() => compute(password, made, salt), caller);
      return timingSafeEqual(given, hash) && known !== undefined;
    },
    isOutdated: (stored) => !stored.startsWith(headOf(parameters)),
    get busy() {
      return inTurn.busy;
    },
  };
}

function tooMany(): Problem {
  return new Problem('service_unavailable', {
    detail: 'Too many people sign in at this moment. Try again in a few seconds.',
    retryAfterSeconds: 2,
  });
}

function compute(
  password: string,
  { memory, passes, parallelism }: Argon2Parameters,
  salt: Uint8Array,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const message = Buffer.from(normalizedPassword(password));
  const inputs = { message, nonce: salt, parallelism, tagLength: hashBytes, memory, passes };
  argon2('argon2id', inputs, (error, hash) => (error === null ? resolve(hash) : reject(error)));
  return promise.finally(() => message.fill(0));
}

/** The head of a hash: https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md */
function headOf({ memory, passes, parallelism }: Argon2Parameters): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;
}

function parse(stored: string): { parameters: Argon2Parameters; salt: Buffer; hash: Buffer } {
  const [, memory, passes, parallelism, salt = '', hash = ''] = form.exec(stored) ?? [];
  if (memory === undefined) throw new TypeError('a stored password hash has an unknown form');
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}
