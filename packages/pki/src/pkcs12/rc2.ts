import { damaged } from '../der/unreadable.ts';

/** RC2 (RFC 2268), decryption only: PKCS#12 files of Windows and of OpenSSL before 3.0 need it, Node lacks it. */

// RFC 2268 §2: a permutation of 0..255 made from the digits of pi.
const piTable = Buffer.from(
  [
    'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2',
    '179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82',
    '54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626',
    '6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7',
    '08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec',
    'c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731',
    '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9',
    '0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad',
  ].join(''),
  'hex',
);

const rotations = [1, 2, 3, 5] as const;
const blockSize = 8;

/** @param effectiveBits the key has as many bits. @throws Unreadable `damaged` when length or padding is wrong */
export function decryptRc2Cbc(key: Buffer, effectiveBits: number, iv: Buffer, ciphertext: Buffer): Buffer {
  if (ciphertext.length === 0 || ciphertext.length % blockSize !== 0) throw badPadding();
  const schedule = expandKey(key, effectiveBits);
  const plain = Buffer.alloc(ciphertext.length);
  let previous = iv;
  for (let at = 0; at < ciphertext.length; at += blockSize) {
    const block = ciphertext.subarray(at, at + blockSize);
    decryptBlock(schedule, block, plain.subarray(at, at + blockSize));
    for (let i = 0; i < blockSize; i++) plain[at + i] = (plain[at + i] ?? 0) ^ (previous[i] ?? 0);
    previous = block;
  }
  return withoutPadding(plain);
}

/** RFC 2268 §2, for keys of 1 to 128 octets. */
function expandKey(key: Buffer, effectiveBits: number): Uint16Array {
  const expanded = new Uint8Array(128);
  expanded.set(key);
  const at = (i: number) => expanded[i] ?? 0;
  const pi = (i: number) => piTable[i & 0xff] ?? 0;
  for (let i = key.length; i < 128; i++) expanded[i] = pi(at(i - 1) + at(i - key.length));
  const size = Math.ceil(effectiveBits / 8);
  const mask = 0xff >> (8 * size - effectiveBits);
  expanded[128 - size] = pi(at(128 - size) & mask);
  for (let i = 127 - size; i >= 0; i--) expanded[i] = pi(at(i + 1) ^ at(i + size));
  return Uint16Array.from({ length: 64 }, (_, i) => at(2 * i) | (at(2 * i + 1) << 8));
}

/** RFC 2268 §4: five, six and five reversed mixing rounds with a reversed mashing round between them. */
function decryptBlock(schedule: Uint16Array, input: Buffer, output: Buffer): void {
  const words = Uint16Array.from({ length: 4 }, (_, i) => input.readUInt16LE(2 * i));
  const word = (i: number) => words[i & 3] ?? 0;
  for (let round = 15; round >= 0; round--) {
    for (let i = 3; i >= 0; i--) {
      const rotation = rotations[i as 0 | 1 | 2 | 3];
      const rotated = (word(i) >>> rotation) | (word(i) << (16 - rotation));
      const mixed = (schedule[4 * round + i] ?? 0) + (word(i - 1) & word(i - 2)) + (~word(i - 1) & word(i - 3));
      words[i] = rotated - mixed;
    }
    if (round === 11 || round === 5) {
      for (let i = 3; i >= 0; i--) words[i] = word(i) - (schedule[word(i - 1) & 63] ?? 0);
    }
  }
  words.forEach((value, i) => {
    output.writeUInt16LE(value, 2 * i);
  });
}

function withoutPadding(plain: Buffer): Buffer {
  const count = plain.at(-1) ?? 0;
  const padding = plain.subarray(-count);
  if (count < 1 || count > blockSize || !padding.every((octet) => octet === count)) throw badPadding();
  return plain.subarray(0, plain.length - count);
}

const badPadding = () => damaged('encryption_end');
