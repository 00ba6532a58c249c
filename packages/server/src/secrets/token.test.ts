import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashToken, issueToken, parseToken, type TokenKind } from './token.ts';

const scale = { seed: 20_260_102, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 5_000 : 200 };
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefixes: Readonly<Record<TokenKind, string>> = { deployment: 'wxd_', messaging: 'wxm_', management: 'wxa_' };
const kinds = Object.keys(prefixes) as TokenKind[];

for (const kind of kinds) {
  test(`a ${kind} token has its prefix, parses as its kind, and is kept as SHA-256 only`, () => {
    const token = issueToken(kind);
    const clear = token.clear.reveal();
    assert.match(clear, new RegExp(`^${prefixes[kind]}[0-9A-Za-z]{53}$`));
    assert.deepEqual(parseToken(clear), { kind });
    assert.deepEqual(token.hash, createHash('sha256').update(clear).digest());
    assert.deepEqual(token.hash, hashToken(clear));
    assert.ok(!JSON.stringify(token).includes(clear));
  });
}

test('at least 256 random bits stay unknown to who knows hint and checksum alone, and the hint is what the token begins with', () => {
  const { clear, hint } = issueToken('deployment');
  assert.equal(hint.length, 8);
  assert.ok(clear.reveal().startsWith(hint));
  const unknown = clear.reveal().length - hint.length - 6;
  assert.ok(unknown * Math.log2(62) >= 256);
});

test('every character is equally likely: bytes that would favour some are drawn again', () => {
  const draws = [
    Buffer.alloc(47, 255),
    Buffer.alloc(47, 248),
    Buffer.from([...alphabet.slice(0, 47)].map((_, i) => i)),
  ];
  const sizes: number[] = [];
  const { clear } = issueToken('deployment', (size) => {
    sizes.push(size);
    return draws.shift() ?? randomBytes(size);
  });
  assert.deepEqual(sizes, [47, 47, 47]);
  assert.equal(clear.reveal().slice(4, 51), alphabet.slice(0, 47));
});

test('two tokens have nothing in common', () => {
  assert.notEqual(issueToken('messaging').clear.reveal(), issueToken('messaging').clear.reveal());
});

test('a token of the first release stays a token', () => {
  assert.deepEqual(parseToken('wxd_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijk4ZBPeM'), { kind: 'deployment' });
});

test('a typing error anywhere is noticed', () => {
  const clear = issueToken('management').clear.reveal();
  fc.assert(
    fc.property(fc.nat(clear.length - 1), fc.constantFrom(...alphabet, '_', ' '), (at, character) => {
      fc.pre(clear[at] !== character);
      assert.equal(parseToken(clear.slice(0, at) + character + clear.slice(at + 1)), undefined);
    }),
    scale,
  );
});

test('two neighbours exchanged are noticed', () => {
  const clear = issueToken('management').clear.reveal();
  for (let at = 0; at + 1 < clear.length; at++) {
    if (clear[at] === clear[at + 1]) continue;
    const exchanged = clear.slice(0, at) + clear[at + 1] + clear[at] + clear.slice(at + 2);
    assert.equal(parseToken(exchanged), undefined, exchanged);
  }
});

test('a token cut, lengthened or with space around it is none, and neither is any other text', () => {
  const clear = issueToken('deployment').clear.reveal();
  const others = [clear.slice(0, -1), clear.slice(1), `${clear}0`, ` ${clear}`, `${clear}\n`, clear.toUpperCase(), ''];
  for (const other of others) assert.equal(parseToken(other), undefined, other);
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => {
      assert.equal(parseToken(text), undefined);
    }),
    scale,
  );
});

test('a token of one kind does not become one of another by its prefix', () => {
  const clear = issueToken('messaging').clear.reveal();
  assert.equal(parseToken(`wxd_${clear.slice(4)}`), undefined);
});
