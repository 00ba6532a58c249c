import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeGbk, encodeGbk, isGbk } from './gbk.ts';

test('known characters have the codes of the standard', () => {
  for (const [character, code] of [
    ['A', '41'],
    ['啊', 'b0a1'],
    ['中', 'd6d0'],
    ['國', '87f8'],
    ['　', 'a1a1'],
    ['—', 'a1aa'],
    ['·', 'a1a4'],
    ['，', 'a3ac'],
    ['￥', 'a3a4'],
    ['齄', 'f7fe'],
    ['é', 'a8a6'],
  ] as const) {
    assert.ok(isGbk(character));
    assert.equal(Buffer.from(encodeGbk(character)).toString('hex'), code, character);
  }
});

test('every character that can be written is read again, and no other is written as something else', () => {
  let known = 0;
  for (let unit = 0; unit <= 0xffff; unit++) {
    const character = String.fromCharCode(unit);
    if (isGbk(character)) {
      assert.equal(decodeGbk(encodeGbk(character)), character);
      known += 1;
    } else {
      assert.throws(() => encodeGbk(`a${character}`), RangeError);
    }
  }
  // 128 of ASCII, 21791 of GBK 1.0, and 100 that GB 18030 added in two octets.
  assert.equal(known, 128 + 21_791 + 100);
});

test('octets that are no GBK are read as replacement characters', () => {
  assert.equal(decodeGbk(Uint8Array.of(0xd6, 0xd0, 0xd6)), '中\ufffd');
  assert.equal(decodeGbk(Uint8Array.of(0xff, 0x41)), '\ufffdA');
  assert.ok(!isGbk('😀') && !isGbk('ñ'));
});
