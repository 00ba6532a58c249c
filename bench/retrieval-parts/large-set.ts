import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { privateKeyPem } from '../../packages/pki/src/parse-material.ts';
import { type CertificateMaterial, readImport } from '../../packages/pki/src/read-import.ts';
import { makeTrialCa, makeTrialKey } from '../../packages/pki/src/trial-ca.testing.ts';
import { privateKeyContext } from '../../packages/server/src/certificates/certificate.ts';
import { versionFacts } from '../../packages/server/src/certificates/store-version.ts';
import type { Application } from '../../packages/server/src/compose.ts';
import { insertValues } from '../../packages/server/src/database/insert-values.testing.ts';
import type { Tables } from '../../packages/server/src/database/schema/tables.ts';
import { newId } from '../../packages/server/src/runtime/clock.ts';
import { seal } from '../../packages/server/src/secrets/envelope.ts';
import type { KeyRing } from '../../packages/server/src/secrets/key-ring.ts';
import { issueToken } from '../../packages/server/src/secrets/token.ts';

export interface LargeSet {
  readonly certificates: number;
  readonly deployments: number;
  /** The file for the deployments' tokens, one on each line. */
  readonly tokensFile: string;
}

const organizationCount = 100;
const distinctKeys = 16;
const distinctCertificates = 200;
const rowsPerCommit = 2_000;

/**
 * Fills a database directly, because the stores take a commit for each row. Rows share a few real certificates, but
 * each key is sealed for its row, and every deployment has a token of its own.
 */
export async function makeLargeSet(application: Application, set: LargeSet): Promise<void> {
  const now = application.clock.now();
  const organizations = Array.from({ length: organizationCount }, (_, index) => ({
    id: newId(now),
    name: `Organization ${index}`,
    created_at: now,
    suspended_at: null,
  }));
  await insertAll(application, 'organization', organizations.length, (index) => at(organizations, index));

  const materials = await makeMaterials(now);
  const certificates = Array.from({ length: set.certificates }, (_, index) => ({
    organization: at(organizations, index % organizationCount).id,
    id: newId(now),
    version: newId(now),
    material: at(materials, index % materials.length),
  }));
  const ring = application.masterKeys.ring();
  await insertAll(application, 'certificate', certificates.length, (index) =>
    certificateRow(at(certificates, index), now),
  );
  await insertAll(application, 'certificate_version', certificates.length, (index) =>
    versionRow(at(certificates, index), ring, now),
  );

  const deployments = Array.from({ length: set.deployments }, () => newId(now));
  const certificateOf = (index: number) => at(certificates, index % certificates.length);
  await insertAll(application, 'deployment', deployments.length, (index) =>
    deploymentRow(at(deployments, index), certificateOf(index), now),
  );
  const file = createWriteStream(set.tokensFile, { mode: 0o600 });
  await insertAll(application, 'token', deployments.length, (index) => {
    const token = issueToken('deployment');
    file.write(`${token.clear.reveal()}\n`);
    return {
      hash: token.hash.toString('hex'),
      kind: 'deployment',
      organization_id: certificateOf(index).organization,
      subject_id: at(deployments, index),
      hint: token.hint,
      created_at: now,
      expires_at: null,
      ended: 0,
      made_by: null,
    } as const;
  });
  file.end();
  await finished(file);
}

interface SetCertificate {
  readonly organization: string;
  readonly id: string;
  readonly version: string;
  readonly material: CertificateMaterial;
}

async function makeMaterials(now: number): Promise<CertificateMaterial[]> {
  const ca = makeTrialCa({ now, keyType: 'rsa-2048' }).intermediate({ keyType: 'rsa-2048' });
  const keys = Array.from({ length: distinctKeys }, () => makeTrialKey('rsa-2048'));
  const materials: CertificateMaterial[] = [];
  for (let index = 0; index < distinctCertificates; index += 1) {
    const name = `site-${index}.example.com`;
    const leaf = ca.issue({ domains: [name, `www.${name}`], key: at(keys, index % distinctKeys) });
    const bytes = Buffer.from(leaf.chainPem + leaf.keyPem);
    const verdict = await readImport({ files: [{ name: 'bench.pem', bytes }], now });
    if ('faults' in verdict) throw new Error(verdict.faults.map((fault) => fault.message).join(' '));
    materials.push(verdict.material);
  }
  return materials;
}

function certificateRow(certificate: SetCertificate, now: number): Tables['certificate'] {
  return {
    organization_id: certificate.organization,
    id: certificate.id,
    name: certificate.material.domains[0] ?? '',
    state: 'issued',
    source: 'imported',
    current_version: certificate.version,
    current_since: now,
    former_version: null,
    versions: 1,
    created_at: now,
    updated_at: now,
  };
}

function versionRow(certificate: SetCertificate, ring: KeyRing, now: number): Tables['certificate_version'] {
  const { organization, id, version, material } = certificate;
  return {
    ...versionFacts(material),
    organization_id: organization,
    certificate_id: id,
    id: version,
    number: 1,
    state: 'issued',
    sealed_key: seal(
      ring,
      privateKeyContext(organization, id, version),
      Buffer.from(privateKeyPem(material.privateKey)),
    ),
    key_id: ring.current.id,
    created_at: now,
    revoked_at: null,
    remarks: null,
    given_root: null,
  };
}

function deploymentRow(id: string, certificate: SetCertificate, now: number): Tables['deployment'] {
  return {
    organization_id: certificate.organization,
    id,
    certificate_id: certificate.id,
    name: certificate.material.domains[0] ?? '',
    enabled: 1,
    permitted: 1,
    query_token: 1,
    // An organization's servers share networks.
    allow_list: JSON.stringify(['127.0.0.1', '192.0.2.0/24', `2001:db8:${certificate.organization.slice(-4)}::/48`]),
    requests_per_minute: null,
    expires_at: null,
    created_at: now,
    updated_at: now,
  };
}

async function insertAll<Table extends keyof Tables & string>(
  { database }: Application,
  table: Table,
  count: number,
  row: (index: number) => Tables[Table],
): Promise<void> {
  for (let start = 0; start < count; start += rowsPerCommit) {
    const rows = Array.from({ length: Math.min(rowsPerCommit, count - start) }, (_, index) => row(start + index));
    await database.transaction((trx) => insertValues(database, trx, table, rows));
  }
}

function at<Item>(items: readonly Item[], index: number): Item {
  return items[index] as Item;
}
