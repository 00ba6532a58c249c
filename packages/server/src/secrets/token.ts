/**
 * API tokens, 57 characters: a prefix for the kind, 47 random base62 characters, and a checksum of 6 base62 characters
 * (CRC-32 of everything before it, most significant first). By the checksum scanners and people tell a token from a
 * look-alike or a typing error without a database.
 *
 * 43 base62 characters hold 256 bits; lists show the 4 others.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SecretText } from '../runtime/secret-text.ts';
import type { RandomSource } from './key-material.ts';

const prefixes = { deployment: 'wxd_', messaging: 'wxm_', management: 'wxa_' } as const;

export type TokenKind = keyof typeof prefixes;

interface IssuedToken {
  /** Shown once, never stored. */
  readonly clear: SecretText;
  /** The stored form: `hashToken` of the clear token. */
  readonly hash: Buffer;
  /** Prefix and first four characters, for people to recognize the token. At least 256 bits stay unknown. */
  readonly hint: string;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 47;
const HINT_CHARACTERS = 4;
const CHECKSUM_CHARACTERS = 6;
const form = /^wx[dma]_[0-9A-Za-z]{53}$/;

export function issueToken(kind: TokenKind, random: RandomSource = randomBytes): IssuedToken {
  const prefix = prefixes[kind];
  const body = prefix + randomCharacters(RANDOM_CHARACTERS, random);
  const clear = body + checksum(body);
  return { clear: new SecretText(clear), hash: hashToken(clear), hint: body.slice(0, prefix.length + HINT_CHARACTERS) };
}

/** The kind of token by form and checksum. Only the database knows whether it was issued. */
export function parseToken(text: string): { readonly kind: TokenKind } | undefined {
  if (!form.test(text)) return undefined;
  if (checksum(text.slice(0, -CHECKSUM_CHARACTERS)) !== text.slice(-CHECKSUM_CHARACTERS)) return undefined;
  return kinds[text.slice(0, 4)];
}

/** SHA-256 of the token's text. 256 random bits need neither salt nor stretching. */
export function hashToken(text: string): Buffer {
  // By way of a string it is twice as fast as asking for a Buffer (Node 26.10).
  return Buffer.from(hash('sha256', text, 'latin1'), 'latin1');
}

const kinds: Readonly<Record<string, { readonly kind: TokenKind }>> = {
  [prefixes.deployment]: { kind: 'deployment' },
  [prefixes.messaging]: { kind: 'messaging' },
  [prefixes.management]: { kind: 'management' },
};

function randomCharacters(count: number, random: RandomSource): string {
  let characters = '';
  while (characters.length < count) {
    for (const byte of random(count - characters.length)) {
      // 248 is the last multiple of 62 in a byte. More would favour the first characters.
      if (byte < 248) characters += ALPHABET[byte % 62];
    }
  }
  return characters;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let characters = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    characters = ALPHABET[rest % 62] + characters;
    rest = Math.floor(rest / 62);
  }
  return characters;
}
