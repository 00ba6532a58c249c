import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CertificateInfo, RetrievalError, RetrievalSuccess } from '@waxwing/contract/retrieval-api.ts';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { errorEnvelope } from '../../http/error-handler.ts';
import { envelopeHead, envelopeTail } from './retrieval-envelope.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_260_105 };
/** Any code point, lone surrogates included. */
const character = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));
const isSuccess = Compile(RetrievalSuccess);
const isError = Compile(RetrievalError);

test('the success envelope is this, byte for byte', () => {
  const certificate = '-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n';
  const privateKey = '-----BEGIN PRIVATE KEY-----\nTUlJ+/=\n-----END PRIVATE KEY-----\n';
  assert.equal(
    envelopeHead(['example.com', '*.example.com', '192.0.2.1'], certificate + certificate) +
      envelopeTail(privateKey, '2026-01-02 03:04:05'),
    '{"status":"success","data":{"certificate_info":{' +
      '"domains":["example.com","*.example.com","192.0.2.1"],' +
      '"certificate":"-----BEGIN CERTIFICATE-----\\nTUlJ\\n-----END CERTIFICATE-----\\n' +
      '-----BEGIN CERTIFICATE-----\\nTUlJ\\n-----END CERTIFICATE-----\\n",' +
      '"private_key":"-----BEGIN PRIVATE KEY-----\\nTUlJ+/=\\n-----END PRIVATE KEY-----\\n",' +
      '"expires_at":"2026-01-02 03:04:05"}}}',
  );
});

test('whatever the parts hold, the body is exactly the envelope around them', () => {
  const text = fc.oneof(
    fc.string({ unit: character }),
    fc.string(),
    fc.constantFrom('"', '\\', '\u2028', '\ud800', '$&'),
  );
  const info = fc.record(
    {
      domains: fc.array(text),
      certificate: text,
      private_key: text,
      expires_at: fc.constantFrom('2026-01-02 03:04:05', '9999-12-31 23:59:59'),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(info, (certificate_info) => {
      const { domains, certificate, private_key, expires_at } = certificate_info;
      const body = envelopeHead(domains, certificate) + envelopeTail(private_key, expires_at);
      assert.equal(body, JSON.stringify({ status: 'success', data: { certificate_info: inOrder(certificate_info) } }));
      const parsed: unknown = JSON.parse(body);
      assert.deepEqual(parsed, { status: 'success', data: { certificate_info } });
      assert.ok(isSuccess.Check(parsed));
    }),
    runs,
  );
});

test('the error envelope has exactly its three fields, and whole seconds', () => {
  fc.assert(
    fc.property(fc.string({ unit: character }), fc.double({ min: 0, max: 1e14, noNaN: true }), (message, now) => {
      const body = errorEnvelope(message, now);
      assert.equal(body, JSON.stringify({ status: 'error', message, timestamp: Math.floor(now / 1000) }));
      assert.ok(isError.Check(JSON.parse(body)));
    }),
    runs,
  );
});

test('the schemas admit no further and no missing field', () => {
  const info = { domains: [], certificate: '', private_key: '', expires_at: '2026-01-02 03:04:05' };
  const check = Compile(CertificateInfo);
  assert.ok(check.Check(info));
  assert.ok(!check.Check({ ...info, serial: '1' }));
  assert.ok(!check.Check({ ...info, expires_at: '2026-01-02T03:04:05Z' }));
  assert.ok(!isError.Check({ status: 'error', message: 'x', timestamp: 1, code: 'y' }));
  assert.ok(!isError.Check({ status: 'error', message: 'x', timestamp: 1.5 }));
  assert.ok(!isSuccess.Check({ status: 'success', data: { certificate_info: info, more: 1 } }));
});

function inOrder({ domains, certificate, private_key, expires_at }: CertificateInfo): CertificateInfo {
  return { domains, certificate, private_key, expires_at };
}
