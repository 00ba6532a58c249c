import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base32, enrolmentUri, matchingStep, timeStep, totpCode } from './totp.ts';

const rfcSecret = Buffer.from('12345678901234567890');

test('codes are those of RFC 6238, appendix B (SHA-1)', () => {
  const vectors: readonly [number, string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ];
  for (const [seconds, code] of vectors) {
    assert.equal(totpCode(rfcSecret, timeStep(seconds * 1000), 8), code, String(seconds));
    assert.equal(totpCode(rfcSecret, timeStep(seconds * 1000)), code.slice(2), 'six digits are the last of them');
  }
});

test('codes by counter are those of RFC 4226, appendix D', () => {
  const codes = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ');
  for (const [counter, code] of codes.entries()) assert.equal(totpCode(rfcSecret, counter), code);
});

test('a code is accepted one step early and late, and no further', () => {
  const now = 1_111_111_111_000;
  const step = timeStep(now);
  for (const [offset, accepted] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const) {
    const match = matchingStep(rfcSecret, totpCode(rfcSecret, step + offset), now, 0);
    assert.equal(match, accepted ? step + offset : undefined, `offset ${offset}`);
  }
});

test('a code of a step that was accepted, or of one before it, is accepted no more', () => {
  const now = 1_111_111_111_000;
  const step = timeStep(now);
  assert.equal(matchingStep(rfcSecret, totpCode(rfcSecret, step), now, step - 1), step);
  assert.equal(matchingStep(rfcSecret, totpCode(rfcSecret, step), now, step), undefined);
  assert.equal(matchingStep(rfcSecret, totpCode(rfcSecret, step - 1), now, step), undefined);
});

test('spaces do not matter, anything else does', () => {
  const now = 59_000;
  assert.equal(matchingStep(rfcSecret, '287 082', now, 0), 1);
  for (const code of ['28708', '2870822', '28708a', '', '２８７０８２', '-87082']) {
    assert.equal(matchingStep(rfcSecret, code, now, 0), undefined, code);
  }
});

test('secrets are written in base32 as RFC 4648 §10 has it, without padding', () => {
  const vectors = {
    '': '',
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  };
  for (const [text, encoded] of Object.entries(vectors)) assert.equal(base32(Buffer.from(text)), encoded);
});

test('the enrolment names person and service, whatever signs their names hold', () => {
  const url = new URL(enrolmentUri(rfcSecret, 'a+b@example.com', 'Wax & Wing'));
  assert.equal(decodeURIComponent(url.pathname), '/Wax & Wing:a+b@example.com');
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    issuer: 'Wax & Wing',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
