import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandName, commandIds } from './command-id.ts';
import { bareResponse } from './response-pdu.ts';
import type { SmppPdu } from './smpp-pdu.ts';
import { commonSubmit } from './smpp-pdus.testing.ts';
import { smppProtocol } from './smpp-protocol.ts';

const enquireLink = smppProtocol.keepAlive(5);
const unbind = smppProtocol.farewell(6);

test('a head tells the length and, for the generic_nack, the sequence number', () => {
  const head = smppProtocol.encode(commonSubmit).slice(0, smppProtocol.headLength);
  assert.equal(smppProtocol.claimedLength(head), smppProtocol.encode(commonSubmit).length);
  head.fill(0xff, 0, 4);
  assert.equal(smppProtocol.claimedLength(head), 2 ** 32 - 1);
  assert.deepEqual(smppProtocol.lengthFault(head), { command: 'generic_nack', sequence: 7, status: 2, tlvs: [] });
});

test('keep-alives and farewells are answered by the session, and nothing else is', () => {
  assert.deepEqual(smppProtocol.ownAnswer(enquireLink), bareResponse('enquire_link', 5, 0));
  assert.deepEqual(smppProtocol.ownAnswer(unbind), bareResponse('unbind', 6, 0));
  assert.equal(smppProtocol.ownAnswer(commonSubmit), undefined);
  assert.equal(smppProtocol.ownAnswer({ ...commonSubmit, command: 'deliver_sm' }), undefined);
  assert.ok(smppProtocol.isFarewell(unbind));
  assert.ok(!smppProtocol.isFarewell(enquireLink));
});

test('a request is answered by its own response or by a generic_nack', () => {
  const requests = Object.keys(commandIds).filter((name) => commandIds[name as CommandName] < 2 ** 31);
  const withResponse = requests.filter((name) => `${name}_resp` in commandIds);
  assert.equal(withResponse.length, 12);
  for (const request of withResponse as CommandName[]) {
    const asked = { ...commonSubmit, command: request } as SmppPdu;
    const answer = bareResponse(request, 7, 0);
    assert.equal(answer.command, `${request}_resp`);
    assert.ok(smppProtocol.isResponse(answer) && !smppProtocol.isResponse(asked));
    assert.ok(smppProtocol.canAnswer(answer, asked));
    assert.ok(smppProtocol.canAnswer(bareResponse('outbind', 7, 3), asked));
    assert.equal(smppProtocol.canAnswer(answer, { ...enquireLink, sequence: 7 }), request === 'enquire_link');
  }
});

test('every bare response can be written and read', () => {
  for (const command of Object.keys(commandIds) as CommandName[]) {
    for (const status of [0, 8]) {
      const decoded = smppProtocol.decode(smppProtocol.encode(bareResponse(command, 3, status)));
      assert.ok(decoded.kind === 'pdu', command);
      assert.deepEqual(decoded.pdu, bareResponse(command, 3, status));
    }
  }
});
