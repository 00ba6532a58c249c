import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integerTlv, textTlv, tlvInteger, tlvTags, tlvText, tlvValue } from './tlv.ts';

test('every tag has one name', () => {
  const tags = Object.values(tlvTags);
  assert.equal(new Set(tags).size, tags.length);
  assert.deepEqual(
    tags,
    tags.toSorted((one, other) => one - other),
  );
});

test('integers and strings are read as they were written', () => {
  const tlvs = [
    integerTlv('message_state', 2, 1),
    integerTlv('sar_msg_ref_num', 0xabcd, 2),
    integerTlv('qos_time_to_live', 0xffff_ffff, 4),
    textTlv('receipted_message_id', '1d305b4c'),
  ];
  assert.equal(tlvInteger(tlvs, 'message_state'), 2);
  assert.equal(tlvInteger(tlvs, 'sar_msg_ref_num'), 0xabcd);
  assert.equal(tlvInteger(tlvs, 'qos_time_to_live'), 0xffff_ffff);
  assert.equal(tlvText(tlvs, 'receipted_message_id'), '1d305b4c');
  assert.equal(tlvValue(tlvs, 'receipted_message_id')?.length, 9);
});

test('a TLV that is missing, or an integer of another length, is undefined', () => {
  const tlvs = [{ tag: tlvTags.message_state, value: Uint8Array.of(0, 0, 2) }];
  assert.equal(tlvInteger(tlvs, 'message_state'), undefined);
  assert.equal(tlvInteger(tlvs, 'user_message_reference'), undefined);
  assert.equal(tlvText(tlvs, 'receipted_message_id'), undefined);
});

test('the first of several TLVs of one name counts', () => {
  const tlvs = [integerTlv('message_state', 2, 1), integerTlv('message_state', 5, 1)];
  assert.equal(tlvInteger(tlvs, 'message_state'), 2);
});

test('an integer without room is not written', () => {
  for (const value of [256, -1, 1.5, Number.NaN]) {
    assert.throws(() => integerTlv('message_state', value, 1), { code: 'range', field: 'message_state' });
  }
});
