import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chainOf, type RetrievableVersion, toRetrievableVersion } from './prepared-version.ts';
import { envelopeTail } from './retrieval-envelope.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 5_000 : 200, seed: 20_261_123 };
const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;

function versionOf(domains: readonly string[], chain: string): RetrievableVersion {
  const ids = { id: 'version', organizationId: 'organization', certificateId: 'certificate' };
  return toRetrievableVersion(
    { ...ids, sealedKey: Buffer.from('sealed'), revoked: false, domains, chain, notAfter: 1_798_761_600_000 },
    'UTC',
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
      assert.deepEqual(
        JSON.parse(version.head.toString(version.headEncoding) + envelopeTail('key', version.expiresAt)),
        {
          status: 'success',
          data: {
            certificate_info: { domains, certificate: chain, private_key: 'key', expires_at: '2027-01-01 00:00:00' },
          },
        },
      );
    }),
    runs,
  );
});

test('what a version holds as bytes is in memory of its own', () => {
  const { head, sealed } = versionOf(['one.example'], pem('leaf') + pem('issuer'));
  for (const part of [head, sealed.sealedKey]) assert.equal(part.buffer.byteLength, part.byteLength);
});
