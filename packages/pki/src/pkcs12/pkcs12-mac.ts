import { createHmac, timingSafeEqual } from 'node:crypto';
import { type DerElement, DerFields, tags } from '../der/der.ts';
import { objectIdentifier, octets, smallInteger } from '../der/der-values.ts';
import { damaged, unsupported } from '../der/unreadable.ts';
import type { ImportBudget } from '../import-budget.ts';
import { derivePbkdf2, hmacHash, type PasswordForms } from './pbes.ts';
import { derivePkcs12, type Pkcs12Hash, pkcs12HashSize, pkcs12Purpose } from './pkcs12-kdf.ts';
import { oids } from './pkcs12-oids.ts';

const digestHashes: Record<string, Pkcs12Hash> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Whether the MAC of a PKCS#12 file (RFC 7292 §4, PBMAC1 by RFC 9579) fits the password. */
export async function macMatches(
  macData: DerElement,
  content: Buffer,
  password: PasswordForms,
  budget: ImportBudget,
): Promise<boolean> {
  const fields = new DerFields(macData);
  const digestInfo = new DerFields(fields.take(tags.sequence));
  const salt = octets(fields.take());
  const count = fields.optional(tags.integer);
  fields.end();
  const algorithm = new DerFields(digestInfo.take(tags.sequence));
  const expected = octets(digestInfo.take());
  digestInfo.end();
  const identifier = objectIdentifier(algorithm.take());
  if (identifier === oids.pbmac1) {
    return sameMac(expected, await pbmac1(algorithm.take(tags.sequence), content, password.utf8, budget));
  }
  const hash = digestHashes[identifier];
  if (hash === undefined) throw unsupported('integrity_unsupported', { algorithm: identifier });
  const iterations = count === undefined ? 1 : smallInteger(count);
  const length = pkcs12HashSize(hash);
  const wanted = { hash, purpose: pkcs12Purpose.mac, password: password.pkcs12, salt, iterations, length };
  const key = await derivePkcs12(wanted, budget);
  return sameMac(expected, createHmac(hash, key).update(content).digest());
}

async function pbmac1(
  parameters: DerElement,
  content: Buffer,
  password: Buffer,
  budget: ImportBudget,
): Promise<Buffer> {
  const fields = new DerFields(parameters);
  const derivation = new DerFields(fields.take(tags.sequence));
  const hash = hmacHash(fields.take(tags.sequence));
  fields.end();
  if (objectIdentifier(derivation.take()) !== oids.pbkdf2) throw unsupported('integrity_scheme_unsupported');
  const keyParameters = derivation.take(tags.sequence);
  const keySize = statedKeySize(keyParameters);
  return createHmac(hash, await derivePbkdf2(keyParameters, keySize, password, budget))
    .update(content)
    .digest();
}

/** RFC 9579 §5 requires the key length. */
function statedKeySize(parameters: DerElement): number {
  const fields = new DerFields(parameters);
  fields.take();
  fields.take();
  const size = smallInteger(fields.take(tags.integer));
  if (size < 16 || size > 64) throw damaged('integrity_key_length');
  return size;
}

function sameMac(expected: Buffer, actual: Buffer): boolean {
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
