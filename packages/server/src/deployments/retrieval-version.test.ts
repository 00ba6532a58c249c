import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { envelopeTail } from './retrieval-envelope.ts';
import { answerUpToKey, chainOf, type RetrievableVersion, toRetrievableVersion } from './retrieval-version.ts';
import { createSharedIssuers } from './shared-issuers.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 5_000 : 200, seed: 20_261_123 };
const shareIssuers = createSharedIssuers();
const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;

function versionOf(domains: readonly string[], chain: string): RetrievableVersion {
  const ids = { id: 'version', organizationId: 'organization', certificateId: 'certificate' };
  return toRetrievableVersion(
    { ...ids, sealedKey: Buffer.from('sealed'), revoked: false, domains, chain, notAfter: 1_798_761_600_000 },
    { timeZone: 'UTC', shareIssuers },
  );
}

test('whatever a version is of, its chain and its JSON answer come out as they came in', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }).map((any) => any.toWellFormed()),
  );
  fc.assert(
    fc.property(fc.array(text), fc.array(text), (domains, names) => {
      const chain = names.map(pem).join('');
      const version = versionOf(domains, chain);
      assert.equal(chainOf(version), chain);
      assert.deepEqual(JSON.parse(answerUpToKey(version) + envelopeTail('key', version.expiresAt)), {
        status: 'success',
        data: {
          certificate_info: { domains, certificate: chain, private_key: 'key', expires_at: '2027-01-01 00:00:00' },
        },
      });
    }),
    runs,
  );
});

test('what a version holds as bytes is in memory of its own', () => {
  const { head, issuers, sealed } = versionOf(['one.example'], pem('leaf') + pem('issuer'));
  for (const part of [head, issuers.json, sealed.sealedKey]) assert.equal(part.buffer.byteLength, part.byteLength);
});
