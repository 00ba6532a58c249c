import type { CertificateFault } from '@waxwing/pki/certificate-fault.ts';
import type { CertificateMaterial } from '@waxwing/pki/read-import.ts';
import type { Db } from '../database/database.ts';
import type { CertificateRow } from '../database/schema/certificate-tables.ts';
import { requireOrganization } from '../organizations/organization.ts';
import { Problem } from '../runtime/problem.ts';
import { getCertificateRow, getVersionRow } from './certificate-lookup.ts';
import { findCertificate } from './certificate-store.ts';
import { tellsMissingIntermediate } from './chain/judge-chain.ts';
import { type ComparedVersion, type Comparison, compareVersions } from './compare-versions.ts';
import { type ExistingCertificate, findExisting } from './existing-certificates.ts';
import { type CertificateNeeds, requireTarget } from './import-certificate.ts';
import { type GivenMaterial, readMaterial } from './read-material.ts';
import { versionFacts } from './store-version.ts';

export interface ComparedImport extends GivenMaterial {
  readonly onto?: string | undefined;
}

export interface ImportComparison {
  readonly material: CertificateMaterial;
  readonly warnings: readonly CertificateFault[];
  readonly missingIntermediate: boolean;
  readonly existing: readonly ExistingCertificate[];
  readonly target: Comparison | undefined;
}

/** So many deployments are named. */
const mostNamed = 20;

/** The changes that an import of these files would make. @throws Problem as the import does */
export async function compareImport(needs: CertificateNeeds, request: ComparedImport): Promise<ImportComparison> {
  const { db } = needs.database;
  const { organizationId, onto } = request;
  await requireOrganization(db, organizationId);
  if (onto !== undefined) await requireTarget(findCertificate(db, onto), organizationId, onto);
  const { material, warnings } = await readMaterial(needs, request, true);
  const existing = await findExisting(db, needs, organizationId, material.domains);
  const row =
    onto === undefined ? existing[0]?.row : await requireTarget(findCertificate(db, onto), organizationId, onto);
  return {
    material,
    warnings,
    missingIntermediate: tellsMissingIntermediate(warnings),
    existing,
    target: row && (await compareWith(db, needs, row, versionFacts(material))),
  };
}

/**
 * The changes when this version of the certificate becomes the current one.
 * @param versionId the version before, if undefined
 * @throws Problem `not_found`
 */
export async function compareWithCurrent(
  needs: Pick<CertificateNeeds, 'database' | 'deployments'>,
  id: string,
  versionId: string | undefined,
): Promise<Comparison> {
  const { db } = needs.database;
  const row = await getCertificateRow(db, id);
  const wanted = versionId ?? row.former_version;
  if (wanted === null) {
    const detail = `Certificate ${id} has no version before the current one.`;
    throw new Problem('not_found', { field: 'version', detail });
  }
  return compareWith(db, needs, row, await getVersionRow(db, row, wanted));
}

async function compareWith(
  db: Db,
  { deployments }: Pick<CertificateNeeds, 'deployments'>,
  row: CertificateRow,
  after: ComparedVersion,
): Promise<Comparison> {
  const before = await getVersionRow(db, row, undefined);
  const count = (await deployments.rollouts(db, [row])).get(row.id)?.total ?? 0;
  return compareVersions(row, before, after, { count, names: await deployments.names(db, row, mostNamed) });
}
