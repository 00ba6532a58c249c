import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pushSearch } from './push-search.ts';

const batch = '01a1c2d3-0000-7000-8000-00000000000a';
const status = { payload: JSON.stringify({ batch_id: batch, mobile: '+86 138-0013-8000', status: 'DELIVRD' }) };
const reply = { payload: JSON.stringify({ mobile: '13800138000', message: '0009' }) };

const cases: readonly [search: string, ofStatus: boolean, ofReply: boolean][] = [
  ['+8613800138000', true, false],
  ['138 0013', true, true],
  ['13900', false, false],
  ['0009', false, false],
  [batch, true, false],
  [batch.slice(0, -1), false, false],
  ['---', false, false],
];

for (const [search, ofStatus, ofReply] of cases) {
  test(`${search} ${ofStatus || ofReply ? 'finds pushes' : 'finds nothing'}`, () => {
    assert.deepEqual([status, reply].map(pushSearch(search)), [ofStatus, ofReply]);
  });
}
