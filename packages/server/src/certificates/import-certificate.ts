import { checkName, requireOrganization } from '../accounts/organization.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { CertificateRow, CertificateVersionRow } from '../database/certificate-tables.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database, Db } from '../database/connect.ts';
import { lockSealingKey } from '../database/sealing-key.ts';
import { type Clock, newId } from '../runtime/clock.ts';
import { type Fault, Problem } from '../runtime/problem.ts';
import type { Turns } from '../runtime/turns.ts';
import { seal } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { droppedDomains, parseDomains, privateKeyContext } from './certificate.ts';
import { certificateFault } from './certificate-fault.ts';
import { advanceVersion, findCertificate, findVersion, insertCertificate, insertVersion } from './certificate-store.ts';
import { type CertificateMaterial, type ImportFile, readImport } from './read-import.ts';

/** In the audit trail, which is kept for years: enough to tell by what it was about. The version has them all. */
const domainsRecorded = 10;

export interface ImportRequest {
  readonly organizationId: string;
  readonly files: readonly ImportFile[];
  readonly password?: string | undefined;
  /** Name of a new certificate; its first domain when left out. */
  readonly name?: string | undefined;
  /** Id of the certificate that gets a new version. */
  readonly onto?: string | undefined;
  readonly turn?: Turn | undefined;
}

/** Of work that waits for its turn. */
export interface Turn {
  /** Aborted, with a Problem, when whoever asked has left while it waits: then it is not begun. */
  readonly signal: AbortSignal;
  /** Called when it begins. @throws Problem: it does not */
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

export interface CertificateNeeds {
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly ring: () => KeyRing;
  /** The largest material of one import, bytes. */
  readonly maxImportBytes: number;
  /** By the organization: see `createMaterialTurns`. */
  readonly turns: Turns<string>;
}

/**
 * Imports certificate, chain and private key as a new certificate, or as a new version of one.
 * @throws Problem `certificate_rejected` with every fault of the material, and nothing stored; `not_found` for
 *   an organization that does not exist; `not_found` and `conflict` for a certificate to import onto that is not the
 *   organization's or not issued; `invalid_parameter` for a name that is none; `service_unavailable` when too many wait.
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
  { feed, audit, clock, ring }: CertificateNeeds,
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
    const clear = Buffer.from(material.privateKey.reveal());
    const sealedKey = seal(keys, context, clear);
    clear.fill(0);
    let row: CertificateRow;
    if (target === undefined) {
      row = newCertificateRow(request, certificateId, versionId, material, at);
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
 * The ring whose current key stays in use until the transaction ends. Asked within it, and again while a rotation in this
 * process ends just now: by then the ring holds the next key.
 */
async function lockCurrentKey(trx: Db, ring: () => KeyRing): Promise<KeyRing> {
  for (let keys = ring(); ; ) {
    if (await lockSealingKey(trx, keys.current.id)) return keys;
    const next = ring();
    if (next.current.id === keys.current.id) throw sealingKeyRetired();
    keys = next;
  }
}

/** Another server has ended a rotation, and this one hears of it with its next heartbeat. */
function sealingKeyRetired(): Problem {
  return new Problem('service_unavailable', {
    detail: 'The master key was rotated at this moment, and nothing was stored. Import again in ten seconds.',
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
    former_version: null,
    versions: 1,
    created_at: at,
    updated_at: at,
  };
}

/** What a version's row says of its material, all but the key. */
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
