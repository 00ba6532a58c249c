import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandStatus, statusName } from './command-status.ts';

test('every code has one name', () => {
  const codes = Object.values(commandStatus);
  assert.equal(new Set(codes).size, codes.length);
  for (const [name, code] of Object.entries(commandStatus)) assert.equal(statusName(code), name);
});

test('a code is named as the specification has it', () => {
  for (const [code, name] of [
    [0x00, 'ESME_ROK'],
    [0x0e, 'ESME_RINVPASWD'],
    [0x14, 'ESME_RMSGQFUL'],
    [0x45, 'ESME_RSUBMITFAIL'],
    [0x58, 'ESME_RTHROTTLED'],
    [0xc0, 'ESME_RINVOPTPARSTREAM'],
    [0xff, 'ESME_RUNKNOWNERR'],
    [0x104, 'ESME_RINVDCS'],
  ] as const) {
    assert.equal(statusName(code), name);
  }
});

test('a code of a vendor is shown as its number', () => {
  assert.equal(statusName(0x412), '0x00000412');
  assert.equal(statusName(0xffff_ffff), '0xffffffff');
});
