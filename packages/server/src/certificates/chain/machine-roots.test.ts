import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { readCertificates } from '@waxwing/pki/x509.ts';
import { machineRoots, readExtraRoots } from './machine-roots.ts';

function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-roots-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('the authorities in the file of the setting are known, beside the roots of the machine', (context) => {
  const { certificatePem } = makeTrialCa({ now: Date.now() });
  const file = join(temporaryFolder(context), 'authorities.pem');
  writeFileSync(file, certificatePem);
  const [own] = readCertificates(certificatePem);
  const known = machineRoots(readExtraRoots(file)).named(own?.subject.comparable ?? '');
  assert.deepEqual(
    known.map(({ certificate, isRoot }) => [certificate.fingerprint, isRoot]),
    [[own?.fingerprint, true]],
  );
});

test('a file that does not serve is refused with the name of its setting', (context) => {
  const folder = temporaryFolder(context);
  const written = (text: string) => {
    const file = join(folder, 'authorities.pem');
    writeFileSync(file, text);
    return file;
  };
  const refusal = (detail: RegExp) => ({ code: 'invalid_parameter', field: 'WAXWING_EXTRA_ROOTS', message: detail });
  const missing = join(folder, 'missing.pem');
  assert.throws(
    () => readExtraRoots(missing),
    refusal(/^WAXWING_EXTRA_ROOTS names .*missing\.pem, which cannot be read \(ENOENT\)\.$/),
  );
  assert.throws(
    () => readExtraRoots(written('')),
    refusal(/^WAXWING_EXTRA_ROOTS names .*, which has no certificate\./),
  );
  const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  assert.throws(
    () => readExtraRoots(written(damaged)),
    refusal(/^WAXWING_EXTRA_ROOTS names .*, which has a certificate that cannot be read/),
  );
});
