import assert from 'node:assert/strict';
import { createHmac, pbkdf2Sync } from 'node:crypto';
import { test } from 'node:test';
import { readDer } from '../der/der.ts';
import {
  constructed,
  element,
  integer,
  nullValue,
  objectIdentifier,
  octetString,
  sequence,
} from '../der/der-writer.ts';
import { ImportBudget } from '../import-budget.ts';
import { clearSafe, encryptedPkcs8, indefinite, seedTime as now, pkcs12Data } from '../material-seeds.testing.ts';
import { makeTrialCa } from '../trial-ca.testing.ts';
import { openPkcs12 } from './pkcs12.ts';
import { oids } from './pkcs12-oids.ts';

const leaf = makeTrialCa({ now }).issue({ domains: ['a.example'] });
const pkcs8 = leaf.key.export({ type: 'pkcs8', format: 'der' });
const safe = clearSafe([leaf.certificateDer], pkcs8);

const open = (file: Buffer, password?: string, budget = new ImportBudget()) =>
  openPkcs12(readDer(file, 'ber'), password, budget);
const pfx = (authenticatedSafe: Buffer, ...macData: Buffer[]) =>
  sequence(integer(3), pkcs12Data(authenticatedSafe), ...macData);
const shrouded = (iterations: number) =>
  sequence(objectIdentifier(oids.shroudedKeyBag), constructed(0, encryptedPkcs8(pkcs8, iterations)));

/** MacData by RFC 9579: PBKDF2 and HMAC, both with SHA-256. */
function pbmac1(password: string, content: Buffer): Buffer {
  const salt = Buffer.alloc(8, 1);
  const hmac = sequence(objectIdentifier(oids.hmacWithSha256), nullValue());
  const parameters = sequence(octetString(salt), integer(10), integer(32), hmac);
  const derivation = sequence(objectIdentifier(oids.pbkdf2), parameters);
  const algorithm = sequence(objectIdentifier(oids.pbmac1), sequence(derivation, hmac));
  const key = pbkdf2Sync(password, salt, 10, 32, 'sha256');
  const mac = createHmac('sha256', key).update(content).digest();
  return sequence(sequence(algorithm, octetString(mac)), octetString(Buffer.alloc(0)), integer(1));
}

test('a file authenticated by PBMAC1 opens with its password only', async () => {
  const file = pfx(safe, pbmac1('secret', safe));
  assert.deepEqual((await open(file, 'secret')).certificates, [leaf.certificateDer]);
  await assert.rejects(open(file, 'wrong'), { reason: 'password_wrong' });
  await assert.rejects(open(file), { reason: 'password_missing' });
});

test('BER as other programs write it is read: indefinite lengths, and the content in pieces', async () => {
  const pieces = [safe.subarray(0, 100), safe.subarray(100)].map((piece) => octetString(piece));
  const content = indefinite(0x30, objectIdentifier(oids.data), indefinite(0xa0, indefinite(0x24, ...pieces)));
  const { certificates, keys } = await open(indefinite(0x30, integer(3), content));
  assert.deepEqual(certificates, [leaf.certificateDer]);
  assert.deepEqual(keys, [pkcs8]);
});

test('nested safe contents are read, to a depth', async () => {
  const nest = (contents: Buffer) =>
    sequence(sequence(objectIdentifier(oids.safeContentsBag), constructed(0, contents)));
  const keyBag = sequence(sequence(objectIdentifier(oids.keyBag), constructed(0, pkcs8)));
  const { keys } = await open(pfx(sequence(pkcs12Data(nest(nest(keyBag))))));
  assert.deepEqual(keys, [pkcs8]);
  let deep = keyBag;
  for (let depth = 0; depth < 10; depth++) deep = nest(deep);
  await assert.rejects(open(pfx(sequence(pkcs12Data(deep)))), { reason: 'damaged' });
});

test('bags that are of no use are passed over, a flood of them is refused', async () => {
  const unknown = sequence(objectIdentifier('1.2.840.113549.1.12.10.1.5'), constructed(0, element(0x05)));
  assert.deepEqual(await open(pfx(sequence(pkcs12Data(sequence(unknown))))), { certificates: [], keys: [] });
  const flood = sequence(...Array.from({ length: 300 }, () => unknown));
  await assert.rejects(open(pfx(sequence(pkcs12Data(flood)))), { reason: 'damaged' });
});

test('iteration counts beyond the limits are refused at once, alone and in sum', async () => {
  const single = pfx(sequence(pkcs12Data(sequence(shrouded(2_000_001)))));
  await assert.rejects(open(single, 'trial'), { reason: 'too_costly' });
  const several = pfx(sequence(pkcs12Data(sequence(shrouded(2), shrouded(2), shrouded(2)))));
  await assert.rejects(open(several, 'trial', new ImportBudget(5)), { reason: 'too_costly' });
  assert.equal((await open(several, 'trial', new ImportBudget(6))).keys.length, 3);
});

test('what is signed, encrypted for a key or of another version is named as unsupported', async () => {
  const signed = sequence(objectIdentifier(oids.signedData), constructed(0, octetString(safe)));
  await assert.rejects(open(sequence(integer(3), signed)), { reason: 'unsupported' });
  const enveloped = sequence(objectIdentifier('1.2.840.113549.1.7.3'), constructed(0, octetString(safe)));
  await assert.rejects(open(pfx(sequence(enveloped))), { reason: 'unsupported' });
  await assert.rejects(open(sequence(integer(2), pkcs12Data(safe))), { reason: 'unsupported' });
});
