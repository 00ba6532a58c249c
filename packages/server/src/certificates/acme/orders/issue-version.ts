import type { KeyObject } from 'node:crypto';
import type { CertificateFault } from '@waxwing/pki/certificate-fault.ts';
import type { KnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import { privateKeyPem } from '@waxwing/pki/parse-material.ts';
import { type CertificateMaterial, readImport } from '@waxwing/pki/read-import.ts';
import type { Database, Db } from '../../../database/database.ts';
import type { CertificateRow } from '../../../database/schema/certificate-tables.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { newId } from '../../../runtime/clock.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import { advanceVersion, setCertificateIssued } from '../../certificate-store.ts';
import { judgeChain } from '../../chain/judge-chain.ts';
import { writeRemarks } from '../../chain/remarks.ts';
import { storeVersion, versionFacts } from '../../store-version.ts';

interface Needs {
  readonly clock: Pick<Clock, 'now'>;
  readonly known: KnownAuthorities;
}

export interface IssuedMaterial {
  readonly material: CertificateMaterial;
  readonly remarks: readonly CertificateFault[];
}

/**
 * Checks what an authority has issued as an import is checked: it must be for this key and these names.
 * @returns the material, or why it is not accepted
 */
export async function checkIssued(
  needs: Needs,
  pem: string,
  key: KeyObject,
  domains: readonly string[],
): Promise<IssuedMaterial | { readonly words: string }> {
  const keyPem = key.export({ type: 'pkcs8', format: 'pem' });
  const files = [
    { name: 'certificate', bytes: Buffer.from(pem) },
    { name: 'key', bytes: Buffer.from(keyPem) },
  ];
  const { known, clock } = needs;
  const verdict = await readImport({ files, known, now: clock.now(), incompleteChain: true });
  if ('faults' in verdict) {
    const told = verdict.faults.map(({ message }) => message).join(' ');
    return { words: `What the authority issued was not accepted. ${told}` };
  }
  const { material } = verdict;
  const has = new Set(material.domains);
  const lacks = domains.filter((domain) => !has.has(domain));
  const more = material.domains.filter((domain) => !domains.includes(domain));
  if (lacks.length > 0)
    return { words: `The authority issued a certificate without ${lacks.slice(0, 10).join(', ')}.` };
  if (more.length > 0) {
    return { words: `The authority issued a certificate with other names: ${more.slice(0, 10).join(', ')}.` };
  }
  return { material, remarks: (await judgeChain(needs, material)).remarks };
}

/** Makes it the current version. @param certificate locked; the keys' current one stays in use (`lockCurrentKey`) */
export async function storeIssued(
  trx: Db,
  database: Pick<Database, 'rowSource'>,
  keys: KeyRing,
  certificate: CertificateRow,
  { material, remarks }: IssuedMaterial,
  at: number,
): Promise<{ readonly id: string; readonly number: number }> {
  const id = newId(at);
  const advanced = await advanceVersion(trx, certificate, id, at);
  await storeVersion(trx, database, keys, advanced, {
    id,
    facts: { ...versionFacts(material), given_root: material.givenRoot ?? null, remarks: writeRemarks(remarks) },
    clearKey: Buffer.from(privateKeyPem(material.privateKey)),
    at,
  });
  await setCertificateIssued(trx, certificate, at);
  return { id, number: advanced.versions };
}
