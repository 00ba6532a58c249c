import type { CertificateMaterial } from '@waxwing/pki/read-import.ts';
import type { Database, Db } from '../database/database.ts';
import type { CertificateRow, CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import { lockSealingKey } from '../database/sealing-key.ts';
import { Problem } from '../runtime/problem.ts';
import { seal } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { parseDomains, privateKeyContext } from './certificate.ts';
import { replaceNames } from './certificate-name-store.ts';
import { insertVersion } from './certificate-store.ts';

/** The columns of a version that follow from certificate and chain. */
export type VersionFacts = Pick<
  CertificateVersionRow,
  'domains' | 'chain' | 'key_type' | 'serial' | 'fingerprint' | 'issuer' | 'subject' | 'not_before' | 'not_after'
>;

export interface NewVersion {
  readonly id: string;
  readonly facts: VersionFacts & Pick<CertificateVersionRow, 'remarks' | 'given_root'>;
  /** PEM. Wiped once it is sealed. */
  readonly clearKey: Buffer;
  readonly at: number;
}

/** Writes a version that is the current one of its certificate already, with its key sealed, and the names it has. */
export async function storeVersion(
  trx: Db,
  database: Pick<Database, 'rowSource'>,
  keys: KeyRing,
  certificate: CertificateRow,
  { id, facts, clearKey, at }: NewVersion,
): Promise<void> {
  const sealedKey = seal(keys, privateKeyContext(certificate.organization_id, certificate.id, id), clearKey);
  clearKey.fill(0);
  await insertVersion(trx, {
    ...facts,
    organization_id: certificate.organization_id,
    certificate_id: certificate.id,
    id,
    number: certificate.versions,
    state: 'issued',
    sealed_key: sealedKey,
    key_id: keys.current.id,
    created_at: at,
    revoked_at: null,
  });
  await replaceNames(trx, database, certificate, parseDomains(facts.domains));
}

/**
 * The ring whose current key stays in use until the transaction ends. It reads the ring a second time if a rotation
 * ends meanwhile.
 */
export async function lockCurrentKey(trx: Db, ring: () => KeyRing): Promise<KeyRing> {
  for (let keys = ring(); ; ) {
    if (await lockSealingKey(trx, keys.current.id)) return keys;
    const next = ring();
    if (next.current.id === keys.current.id) throw sealingKeyRetired();
    keys = next;
  }
}

/** Another server has ended a rotation. This one learns of it with its next heartbeat. */
function sealingKeyRetired(): Problem {
  return new Problem('service_unavailable', {
    detail: 'The master key was rotated meanwhile, and nothing was stored. Import again in ten seconds.',
    retryAfterSeconds: 10,
  });
}

/** The columns of a version from its material, except the key. */
export function versionFacts(material: CertificateMaterial): VersionFacts {
  return {
    domains: JSON.stringify(material.domains),
    chain: material.chain,
    key_type: material.keyType,
    serial: material.serial,
    fingerprint: material.fingerprintSha256,
    issuer: material.issuer,
    subject: material.subject,
    not_before: material.notBefore,
    not_after: material.notAfter,
  };
}

export function factsOf(row: VersionFacts): VersionFacts {
  const { domains, chain, key_type, serial, fingerprint, issuer, subject, not_before, not_after } = row;
  return { domains, chain, key_type, serial, fingerprint, issuer, subject, not_before, not_after };
}
