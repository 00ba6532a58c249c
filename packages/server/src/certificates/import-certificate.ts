import { type CertificateFault, certificateFault } from '@waxwing/pki/certificate-fault.ts';
import type { ChainCompletion } from '@waxwing/pki/complete-chain.ts';
import { privateKeyPem } from '@waxwing/pki/parse-material.ts';
import type { CertificateMaterial } from '@waxwing/pki/read-import.ts';
import type { Ground } from '../audit/ground.ts';
import type { Db } from '../database/database.ts';
import type { CertificateRow } from '../database/schema/certificate-tables.ts';
import { checkName, lockOrganization, requireOrganization } from '../organizations/organization.ts';
import { newId } from '../runtime/clock.ts';
import { type Fault, Problem } from '../runtime/problem.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { droppedDomains, parseDomains } from './certificate.ts';
import type { CertificateDeployments } from './certificate-deployments.ts';
import {
  advanceVersion,
  findCertificate,
  findVersion,
  insertCertificate,
  lockCertificate,
} from './certificate-store.ts';
import { type ChainNeeds, completedChain, judgeChain, tellsMissingIntermediate } from './chain/judge-chain.ts';
import { writeRemarks } from './chain/remarks.ts';
import { certificateExists, findExisting } from './existing-certificates.ts';
import type { Issuing } from './issuing.ts';
import { type GivenMaterial, type ReadMaterial, readMaterial, rejected } from './read-material.ts';
import { lockCurrentKey, storeVersion, versionFacts } from './store-version.ts';

/** The audit trail is kept for years, so an entry names only some domains. The version has them all. */
const domainsRecorded = 10;

/** A refusal names so many of the names that would be lost. The comparison has them all. */
const namesTold = 100;

export interface ImportRequest extends GivenMaterial {
  /** The new certificate's name; by default its first domain. */
  readonly name?: string | undefined;
  /** The certificate that gets a new version. */
  readonly onto?: string | undefined;
  /** A certificate of its own, even if another certificate has these names. */
  readonly separate?: boolean | undefined;
  /** Enabled deployments may lose names. */
  readonly confirmLostNames?: boolean | undefined;
  /** An intermediate may be missing from the chain. */
  readonly incompleteChain?: boolean | undefined;
  /** Missing intermediates are fetched. */
  readonly completeChain?: boolean | undefined;
}

export interface ImportedCertificate {
  readonly id: string;
  readonly version: string;
  readonly number: number;
  readonly domains: readonly string[];
  readonly notAfter: number;
  readonly warnings: readonly Fault[];
}

export interface CertificateNeeds
  extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>,
    Omit<ChainNeeds, 'clock'> {
  readonly ring: () => KeyRing;
  /** The largest import, bytes. */
  readonly maxImportBytes: number;
  /** Takes turns by organization: see `createImportQueue`. */
  readonly turns: WorkQueue<string>;
  readonly deployments: CertificateDeployments;
  readonly issuing: Pick<Issuing, 'replan'>;
}

/**
 * Imports certificate, chain and private key as a new certificate, or as a new version of one.
 * @throws Problem and stores nothing: `certificate_rejected` with every fault of the material; `certificate_exists` where a
 *   certificate has the names already; `names_lost` where enabled deployments would lose names; `not_found` for an unknown
 *   organization; `not_found` and `conflict` for a certificate that is not the organization's or not issued;
 *   `invalid_parameter` for a bad name and for wishes that contradict each other; `service_unavailable` when too many imports
 *   wait
 */
export async function importCertificate(
  needs: CertificateNeeds,
  actor: string,
  request: ImportRequest,
): Promise<ImportedCertificate> {
  const { db } = needs.database;
  const { organizationId, onto } = request;
  await requireOrganization(db, organizationId);
  checkWishes(request);
  if (onto !== undefined) await requireTarget(findCertificate(db, onto), organizationId, onto);
  const { material, warnings, remarks } = await readJudged(needs, request);
  const stored = await store(needs, actor, request, material, remarks);
  return {
    ...stored,
    domains: material.domains,
    notAfter: material.notAfter,
    warnings: [...warnings, ...stored.warnings],
  };
}

interface Judged extends ReadMaterial {
  /** Remarks that are stored with the version. */
  readonly remarks: readonly CertificateFault[];
}

/** The material, with its chain completed where that is wanted. @throws Problem `certificate_rejected` */
async function readJudged(needs: CertificateNeeds, request: ImportRequest): Promise<Judged> {
  const { organizationId, onto, incompleteChain = false, completeChain = false } = request;
  const { material, warnings } = await readMaterial(needs, request, incompleteChain || completeChain);
  if (!completeChain || !tellsMissingIntermediate(warnings)) {
    return { material, warnings, remarks: (await judgeChain(needs, material)).remarks };
  }
  // Servers of issuers may take minutes, so what refuses the import anyway comes first. It is checked again under the lock.
  const { db } = needs.database;
  const target = onto === undefined ? undefined : await requireTarget(findCertificate(db, onto), organizationId, onto);
  await checkNames(db, needs, request, target, material.domains);
  const completion = await completedChain(needs, organizationId, material, request.turn?.signal);
  // The caller may have lost the right meanwhile.
  await request.turn?.begin();
  const longer =
    completion.kind === 'completed'
      ? { ...material, chain: completion.chain, givenRoot: completion.root ?? material.givenRoot }
      : material;
  const { remarks } = await judgeChain(needs, longer);
  const reasons = whyIncomplete(completion);
  if (tellsMissingIntermediate(remarks) && !incompleteChain) {
    throw rejected([...remarks.filter(({ code }) => code === 'missing_intermediate'), ...reasons]);
  }
  const others = warnings.filter(
    (warning) => warning.code !== 'missing_intermediate' && !remarks.some(({ message }) => message === warning.message),
  );
  return { material: longer, warnings: [...others, ...remarks, ...reasons], remarks };
}

function whyIncomplete(completion: ChainCompletion): readonly CertificateFault[] {
  if (completion.kind === 'failed') return [completion.fault];
  return completion.kind === 'completed' && completion.unfinished !== undefined ? [completion.unfinished] : [];
}

function checkWishes({ name, onto, separate }: ImportRequest): void {
  if (name !== undefined) checkName('name', name);
  if (onto === undefined) return;
  if (name !== undefined) {
    const detail = 'name is for a new certificate; one that gets a new version keeps its name.';
    throw new Problem('invalid_parameter', { field: 'name', detail });
  }
  if (separate === true) {
    const detail = 'separate makes a certificate of its own, onto a new version of one: give one of them.';
    throw new Problem('invalid_parameter', { field: 'separate', detail });
  }
}

/** @throws Problem for a certificate that is not the organization's or not issued */
export async function requireTarget(
  finding: Promise<CertificateRow | undefined>,
  organizationId: string,
  onto: string,
): Promise<CertificateRow> {
  const target = await finding;
  if (target === undefined || target.organization_id !== organizationId) {
    throw new Problem('not_found', {
      field: 'onto',
      detail: `The organization has no certificate ${onto}. "certificate list" shows those it has.`,
    });
  }
  if (target.state === 'issued') return target;
  throw new Problem('conflict', {
    field: 'onto',
    reason: 'not_issued',
    detail: `Certificate ${target.id} is ${target.state}. Import without onto to make a new certificate.`,
  });
}

/**
 * All in one transaction, under the lock of the organization: of imports of the same names at the same moment one is stored,
 * and the others find it.
 */
async function store(
  needs: CertificateNeeds,
  actor: string,
  request: ImportRequest,
  material: CertificateMaterial,
  remarks: readonly CertificateFault[],
): Promise<{ id: string; version: string; number: number; warnings: readonly Fault[] }> {
  const { database, feed, audit, clock } = needs;
  const { organizationId, onto } = request;
  const at = clock.now();
  const versionId = newId(at);
  return feed.write(async (trx, note) => {
    await lockOrganization(trx, database, organizationId);
    const keys = await lockCurrentKey(trx, needs.ring);
    const target =
      onto === undefined ? undefined : await requireTarget(lockCertificate(trx, database, onto), organizationId, onto);
    const lost = await checkNames(trx, needs, request, target, material.domains);
    let certificate: CertificateRow;
    if (target === undefined) {
      certificate = newCertificateRow(request, newId(at), versionId, material, at);
      await insertCertificate(trx, certificate);
    } else {
      certificate = await advanceVersion(trx, target, versionId, at);
    }
    const { id, versions: number } = certificate;
    await storeVersion(trx, database, keys, certificate, {
      id: versionId,
      facts: { ...versionFacts(material), given_root: material.givenRoot ?? null, remarks: writeRemarks(remarks) },
      clearKey: Buffer.from(privateKeyPem(material.privateKey)),
      at,
    });
    if (target !== undefined) await needs.issuing.replan(trx, id, versionFacts(material), at);
    note('certificate', id, organizationId);
    const detail = {
      version: versionId,
      number,
      domains: material.domains.slice(0, domainsRecorded),
      domain_count: material.domains.length,
      fingerprint_sha256: material.fingerprintSha256,
    };
    const entry = { organizationId, actor, action: 'certificate.import', subject: id, at } as const;
    await audit.record(trx, [{ ...entry, detail: JSON.stringify(detail) }]);
    const warnings =
      lost.length === 0 ? [] : [certificateFault('certificate', 'fewer_domains', { domains: lost.join(', ') })];
    return { id, version: versionId, number, warnings };
  });
}

/**
 * Decides by its names which existing certificate an import renews.
 * @param target the certificate that gets the new version; undefined: it is a new one
 * @returns the names that the target loses
 * @throws Problem `certificate_exists` or `names_lost`, unless the request allows it
 */
async function checkNames(
  db: Db,
  needs: CertificateNeeds,
  { organizationId, separate = false, confirmLostNames = false }: ImportRequest,
  target: CertificateRow | undefined,
  domains: readonly string[],
): Promise<readonly string[]> {
  if (target === undefined) {
    const [existing] = separate ? [] : await findExisting(db, needs, organizationId, domains);
    if (existing !== undefined) throw certificateExists(existing);
    return [];
  }
  const lost = await lostNames(db, target, domains);
  if (!confirmLostNames) await requireNothingLost(db, needs, target, lost);
  return lost;
}

async function lostNames(db: Db, target: CertificateRow, domains: readonly string[]): Promise<readonly string[]> {
  if (target.current_version === null) return [];
  const current = await findVersion(db, target, target.current_version);
  return current === undefined ? [] : droppedDomains(parseDomains(current.domains), domains);
}

async function requireNothingLost(
  db: Db,
  { deployments }: CertificateNeeds,
  target: CertificateRow,
  lost: readonly string[],
): Promise<void> {
  if (lost.length === 0) return;
  const count = (await deployments.rollouts(db, [target])).get(target.id)?.total ?? 0;
  if (count === 0) return;
  const more = lost.length > namesTold ? `, and ${lost.length - namesTold} more` : '';
  const names = `${lost.slice(0, namesTold).join(', ')}${more}`;
  throw new Problem('names_lost', {
    field: 'confirm_lost_names',
    reason: 'deployed',
    parameters: { count: String(count), name: target.name, names },
    detail: `This version no longer has ${names}, and ${target.name} has ${count} enabled deployment(s). Nothing was stored. Confirm it: --yes on the command line, confirm_lost_names in the API.`,
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
