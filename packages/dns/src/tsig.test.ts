import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { DnsFault } from './dns-fault.ts';
import { decodeMessage, encodeMessage } from './dns-message.ts';
import { queryOf } from './dns-values.testing.ts';
import { parseName } from './domain-name.ts';
import { recordTypes } from './resource-record.ts';
import { signMessage, type TsigKey, verifyResponse } from './tsig.ts';

const key: TsigKey = {
  name: parseName('Key.example'),
  algorithm: 'hmac-sha256',
  secret: Buffer.from('0123456789abcdef'),
};
const now = 1_800_000_000;
const query = queryOf(parseName('a.example'), recordTypes.TXT);
const request = signMessage(encodeMessage(query), key, now);
const response = encodeMessage({ ...query, isResponse: true });

test('what is signed is the message and, in canonical form, the variables of RFC 8945', () => {
  const unsigned = encodeMessage(query);
  const variables = Buffer.concat([
    Buffer.from('036b6579076578616d706c6500', 'hex'),
    Buffer.from('00ff00000000', 'hex'),
    Buffer.from('0b686d61632d73686132353600', 'hex'),
    Buffer.from('00006b49d200', 'hex'),
    Buffer.from('012c00000000', 'hex'),
  ]);
  const mac = createHmac('sha256', key.secret).update(unsigned).update(variables).digest();
  assert.deepEqual(request.mac, mac);
  assert.equal(decodeMessage(request.bytes).additionals.length, 1);
});

test('a response is valid by the key, the request and the time', () => {
  const { bytes } = signMessage(response, key, now + 10, request.mac);
  assert.deepEqual(verifyResponse(bytes, key, request.mac, now), { kind: 'valid' });
  assert.deepEqual(verifyResponse(bytes, key, request.mac, now + 311), { kind: 'invalid', why: 'time' });
  const otherSecret = { ...key, secret: Buffer.from('fedcba9876543210') };
  assert.deepEqual(verifyResponse(bytes, otherSecret, request.mac, now), { kind: 'invalid', why: 'mac' });
  assert.deepEqual(verifyResponse(bytes, key, Buffer.alloc(32), now), { kind: 'invalid', why: 'mac' });
  const otherName = { ...key, name: parseName('other.example') };
  assert.deepEqual(verifyResponse(bytes, otherName, request.mac, now), { kind: 'invalid', why: 'other-key' });
  const otherAlgorithm = { ...key, algorithm: 'hmac-sha512' } as const;
  assert.deepEqual(verifyResponse(bytes, otherAlgorithm, request.mac, now), { kind: 'invalid', why: 'other-key' });
  assert.deepEqual(verifyResponse(response, key, request.mac, now), { kind: 'invalid', why: 'unsigned' });
});

test('an id that a forwarder has changed does not break the signature', () => {
  const { bytes } = signMessage(response, key, now, request.mac);
  bytes.writeUInt16BE(4711, 0);
  assert.deepEqual(verifyResponse(bytes, key, request.mac, now), { kind: 'valid' });
});

test('no changed octet is accepted', () => {
  const { bytes } = signMessage(response, key, now, request.mac);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ change;
      try {
        const verdict = verifyResponse(changed, key, request.mac, now);
        const isSame =
          JSON.stringify(decodeMessage(changed)).toLowerCase() === JSON.stringify(decodeMessage(bytes)).toLowerCase();
        // The key's name is compared without regard to case, and its class and time to live say nothing.
        if (!isSame && at < bytes.length - 16 - 32 - 33) assert.notEqual(verdict.kind, 'valid', `${at}`);
      } catch (error) {
        assert.ok(error instanceof DnsFault, `${error}`);
      }
    }),
    { seed: 8945, numRuns: 2000 },
  );
});
