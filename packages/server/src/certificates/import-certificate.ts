import { certificateFault } from '@waxwing/pki/certificate-fault.ts';
import { privateKeyPem } from '@waxwing/pki/parse-material.ts';
import { type CertificateMaterial, type ImportFile, readImport } from '@waxwing/pki/read-import.ts';
import type { Ground } from '../audit/ground.ts';
import type { Db } from '../database/database.ts';
import type { CertificateRow, CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import { lockSealingKey } from '../database/sealing-key.ts';
import { checkName, lockOrganization, requireOrganization } from '../organizations/organization.ts';
import { newId } from '../runtime/clock.ts';
import { type Fault, Problem } from '../runtime/problem.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import { seal } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { droppedDomains, parseDomains, privateKeyContext } from './certificate.ts';
import { advanceVersion, findCertificate, findVersion, insertCertificate, insertVersion } from './certificate-store.ts';

/** The audit trail is kept for years, so an entry names only some domains. The version has them all. */
const domainsRecorded = 10;

export interface ImportRequest {
  readonly organizationId: string;
  readonly files: readonly ImportFile[];
  readonly password?: string | undefined;
  /** The new certificate's name; by default its first domain. */
  readonly name?: string | undefined;
  /** The certificate that gets a new version. */
  readonly onto?: string | undefined;
  readonly turn?: Turn | undefined;
}

export interface Turn {
  /** Aborted, with a Problem, when the caller disconnects while waiting. The work then does not begin. */
  readonly signal: AbortSignal;
  /** Called before the work begins. @throws Problem to keep it from beginning */
  begin(): Promise<void>;
}

export interface ImportedCertificate {
  readonly id: string;
  readonly version: string;
  readonly number: number;
  readonly domains: readonly string[];
  readonly notAfter: number;
  readonly warnings: readonly Fault[];
}

export interface CertificateNeeds extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly ring: () => KeyRing;
  /** The largest import, bytes. */
  readonly maxImportBytes: number;
  /** Takes turns by organization: see `createImportQueue`. */
  readonly turns: WorkQueue<string>;
}

/**
 * Imports certificate, chain and private key as a new certificate, or as a new version of one.
 * @throws Problem and stores nothing: `certificate_rejected` with every fault of the material; `not_found` for an
 *   unknown organization; `not_found` and `conflict` for a certificate that is not the organization's or not issued;
 *   `invalid_parameter` for a bad name; `service_unavailable` when too many imports wait
 */
export async function importCertificate(
  needs: CertificateNeeds,
  actor: string,
  request: ImportRequest,
): Promise<ImportedCertificate> {
  await requireOrganization(needs.database.db, request.organizationId);
  if (request.name !== undefined) checkName('name', request.name);
  const target = request.onto === undefined ? undefined : await findTarget(needs.database.db, request, request.onto);
  const { files, password } = request;
  const read = async () => {
    await request.turn?.begin();
    return readImport({ files, password, now: needs.clock.now(), maxBytes: needs.maxImportBytes });
  };
  const verdict = await needs.turns.run(read, request.organizationId, request.turn?.signal);
  if ('faults' in verdict) {
    throw new Problem('certificate_rejected', {
      detail: `The certificate was not accepted, and nothing was stored: ${verdict.faults.length} fault(s).`,
      faults: verdict.faults,
    });
  }
  const warnings = [...verdict.warnings, ...(await domainWarnings(needs.database.db, target, verdict.material))];
  const stored = await store(needs, actor, request, target, verdict.material);
  return { ...stored, domains: verdict.material.domains, notAfter: verdict.material.notAfter, warnings };
}

async function findTarget(db: Db, request: ImportRequest, onto: string): Promise<CertificateRow> {
  const target = await findCertificate(db, onto);
  if (target === undefined || target.organization_id !== request.organizationId) {
    throw new Problem('not_found', {
      field: 'onto',
      detail: `The organization has no certificate ${onto}. "certificate list" shows those it has.`,
    });
  }
  if (target.state !== 'issued') throw notIssued(target);
  return target;
}

function notIssued(target: CertificateRow): Problem {
  return new Problem('conflict', {
    field: 'onto',
    reason: 'not_issued',
    detail: `Certificate ${target.id} is ${target.state}. Import without onto to make a new certificate.`,
  });
}

async function domainWarnings(
  db: Db,
  target: CertificateRow | undefined,
  material: CertificateMaterial,
): Promise<Fault[]> {
  if (target?.current_version == null) return [];
  const current = await findVersion(db, target, target.current_version);
  if (current === undefined) return [];
  const missing = droppedDomains(parseDomains(current.domains), material.domains);
  if (missing.length === 0) return [];
  return [certificateFault('certificate', 'fewer_domains', { domains: missing.join(', ') })];
}

async function store(
  { database, feed, audit, clock, ring }: CertificateNeeds,
  actor: string,
  request: ImportRequest,
  target: CertificateRow | undefined,
  material: CertificateMaterial,
): Promise<{ id: string; version: string; number: number }> {
  const at = clock.now();
  const certificateId = target?.id ?? newId(at);
  const versionId = newId(at);
  const { organizationId } = request;
  const number = await feed.write(async (trx, note) => {
    const keys = await lockCurrentKey(trx, ring);
    const context = privateKeyContext(organizationId, certificateId, versionId);
    const clear = Buffer.from(privateKeyPem(material.privateKey));
    const sealedKey = seal(keys, context, clear);
    clear.fill(0);
    let row: CertificateRow;
    if (target === undefined) {
      row = newCertificateRow(request, certificateId, versionId, material, at);
      await lockOrganization(trx, database, organizationId);
      await insertCertificate(trx, row);
    } else {
      const advanced = await advanceVersion(trx, target, versionId, at);
      if (advanced === undefined) throw notIssued({ ...target, state: 'revoked' });
      row = advanced;
    }
    await insertVersion(trx, {
      ...versionFacts(material),
      organization_id: organizationId,
      certificate_id: certificateId,
      id: versionId,
      number: row.versions,
      state: 'issued',
      sealed_key: sealedKey,
      key_id: keys.current.id,
      created_at: at,
      revoked_at: null,
    });
    note('certificate', certificateId, organizationId);
    await audit.record(trx, [
      {
        organizationId,
        actor,
        action: 'certificate.import',
        subject: certificateId,
        at,
        detail: JSON.stringify({
          version: versionId,
          number: row.versions,
          domains: material.domains.slice(0, domainsRecorded),
          domain_count: material.domains.length,
          fingerprint_sha256: material.fingerprintSha256,
        }),
      },
    ]);
    return row.versions;
  });
  return { id: certificateId, version: versionId, number };
}

/**
 * The ring whose current key stays in use until the transaction ends. It reads the ring a second time if a rotation
 * ends meanwhile.
 */
async function lockCurrentKey(trx: Db, ring: () => KeyRing): Promise<KeyRing> {
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

function newCertificateRow(
  request: ImportRequest,
  id: string,
  versionId: string,
  material: CertificateMaterial,
  at: number,
): CertificateRow {
  return {
    organization_id: request.organizationId,
    id,
    name: request.name?.trim() ?? material.domains[0] ?? id,
    state: 'issued',
    source: 'imported',
    current_version: versionId,
    current_since: at,
    former_version: null,
    versions: 1,
    created_at: at,
    updated_at: at,
  };
}

/** The columns of a version from its material, except the key. */
export function versionFacts(
  material: CertificateMaterial,
): Pick<
  CertificateVersionRow,
  'domains' | 'chain' | 'key_type' | 'serial' | 'fingerprint' | 'issuer' | 'subject' | 'not_before' | 'not_after'
> {
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
