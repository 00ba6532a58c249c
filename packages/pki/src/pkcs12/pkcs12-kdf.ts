import { hash } from 'node:crypto';
import { type ImportBudget, yieldToLoop } from '../import-budget.ts';

export const pkcs12Purpose = { key: 1, iv: 2, mac: 3 } as const;

/** Hashes of the derivation of RFC 7292 appendix B; sizes in octets. */
const hashSizes = {
  sha1: { output: 20, block: 64 },
  sha224: { output: 28, block: 64 },
  sha256: { output: 32, block: 64 },
  sha384: { output: 48, block: 128 },
  sha512: { output: 64, block: 128 },
} as const;

export type Pkcs12Hash = keyof typeof hashSizes;

/** More than any program writes. One iteration takes about a microsecond. */
const maxPkcs12Iterations = 600_000;

/** An iteration counts as two of PBKDF2's: it is slower, and it runs on the event loop's thread. */
const weight = 2;

/** One slice holds up the event loop for a few milliseconds. */
const iterationsPerSlice = 2_000;

interface Pkcs12Derivation {
  readonly hash: Pkcs12Hash;
  readonly purpose: (typeof pkcs12Purpose)[keyof typeof pkcs12Purpose];
  /** As `pkcs12Password` returns it. */
  readonly password: Buffer;
  readonly salt: Buffer;
  readonly iterations: number;
  /** Wanted octets. */
  readonly length: number;
}

export function pkcs12HashSize(name: Pkcs12Hash): number {
  return hashSizes[name].output;
}

/** A password in the form of this derivation: UTF-16 big endian with a closing zero character (RFC 7292 §B.1). */
export function pkcs12Password(password: string): Buffer {
  return Buffer.from(`${password}\0`, 'utf16le').swap16();
}

/** The derivation of RFC 7292 appendix B.2, which Node lacks, in slices of work. @throws Unreadable `too_costly` */
export async function derivePkcs12(wanted: Pkcs12Derivation, budget: ImportBudget): Promise<Buffer> {
  const { output, block } = hashSizes[wanted.hash];
  const rounds = Math.ceil(wanted.length / output);
  for (let round = 0; round < rounds; round++) spendIterations(wanted.iterations, budget);
  const diversifier = Buffer.alloc(block, wanted.purpose);
  const input = Buffer.concat([stretched(wanted.salt, block), stretched(wanted.password, block)]);
  const derived: Buffer[] = [];
  for (let round = 0; round < rounds; round++) {
    const digest = await hashedOver(wanted.hash, Buffer.concat([diversifier, input]), wanted.iterations);
    derived.push(digest);
    addToBlocks(input, stretched(digest, block));
  }
  return Buffer.concat(derived).subarray(0, wanted.length);
}

function spendIterations(iterations: number, budget: ImportBudget): void {
  budget.spend(iterations * weight, maxPkcs12Iterations * weight);
}

/** The first 16 octets of PBKDF1 (RFC 8018 §5.1). Only the oldest keys need it. @throws Unreadable `too_costly` */
export async function derivePbkdf1(
  name: 'md5' | 'sha1',
  password: Buffer,
  salt: Buffer,
  iterations: number,
  budget: ImportBudget,
): Promise<Buffer> {
  spendIterations(iterations, budget);
  return (await hashedOver(name, Buffer.concat([password, salt]), iterations)).subarray(0, 16);
}

async function hashedOver(name: Pkcs12Hash | 'md5', start: Buffer, iterations: number): Promise<Buffer> {
  let digest = hash(name, start, 'buffer');
  for (let done = 1; done < iterations; done++) {
    digest = hash(name, digest, 'buffer');
    if (done % iterationsPerSlice === 0) await yieldToLoop();
  }
  return digest;
}

/** Repeats bytes to whole blocks. An empty input stays empty. */
function stretched(bytes: Buffer, block: number): Buffer {
  const filled = Buffer.alloc(Math.ceil(bytes.length / block) * block);
  return bytes.length === 0 ? filled : filled.fill(bytes);
}

/** Step 6C: every block I_j becomes (I_j + B + 1) mod 2^(8·block). */
function addToBlocks(input: Buffer, summand: Buffer): void {
  for (let end = input.length; end > 0; end -= summand.length) {
    let carry = 1;
    for (let i = 1; i <= summand.length; i++) {
      const sum = (input[end - i] ?? 0) + (summand[summand.length - i] ?? 0) + carry;
      input[end - i] = sum & 0xff;
      carry = sum >> 8;
    }
  }
}
