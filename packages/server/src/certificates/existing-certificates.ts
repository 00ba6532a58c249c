import type { ReasonOf } from '@waxwing/contract/management-api/problem-reasons.ts';
import type { Database, Db } from '../database/database.ts';
import type { CertificateRow } from '../database/schema/certificate-tables.ts';
import { Problem } from '../runtime/problem.ts';
import type { CertificateDeployments } from './certificate-deployments.ts';
import { findSharedNames, type SharedNames } from './certificate-name-store.ts';
import { findCertificates } from './certificate-store.ts';

/** How a certificate's names compare with given ones: `wider` has all of them and more. */
export type NameRelation = 'same' | 'wider' | 'narrower';

export interface ExistingCertificate {
  readonly row: CertificateRow;
  readonly relation: NameRelation;
  /** Enabled ones. */
  readonly deployments: number;
}

/**
 * So many are looked at, the newest of them, and so many of those told: among more than that the one with the most deployments
 * may be missed. An organization has several with the same names only on purpose.
 */
const mostCandidates = 200;
const mostExisting = 20;

/**
 * The issued certificates whose next version one with these names may be, most likely first: those with the same names, then
 * those with the most enabled deployments, then the newest.
 */
export async function findExisting(
  db: Db,
  needs: { readonly database: Pick<Database, 'rowSource'>; readonly deployments: CertificateDeployments },
  organizationId: string,
  domains: readonly string[],
): Promise<readonly ExistingCertificate[]> {
  const shared = await findSharedNames(db, needs.database, organizationId, domains, mostCandidates);
  const byId = new Map(shared.map((each) => [each.certificate_id, each]));
  const rows = (await findCertificates(db, [...byId.keys()])).filter(({ state }) => state === 'issued');
  const rollouts = await needs.deployments.rollouts(db, rows);
  const found = rows.flatMap((row): ExistingCertificate[] => {
    const names = byId.get(row.id);
    if (names === undefined) return [];
    const deployments = rollouts.get(row.id)?.total ?? 0;
    return [{ row, relation: relationOf(names, new Set(domains).size), deployments }];
  });
  return found.sort(byLikelihood).slice(0, mostExisting);
}

/** @param given how many names were given */
export function relationOf({ shared, names }: Pick<SharedNames, 'shared' | 'names'>, given: number): NameRelation {
  if (shared < names) return 'wider';
  return shared < given ? 'narrower' : 'same';
}

function byLikelihood(one: ExistingCertificate, other: ExistingCertificate): number {
  const isSame = ({ relation }: ExistingCertificate) => (relation === 'same' ? 1 : 0);
  return isSame(other) - isSame(one) || other.deployments - one.deployments || (one.row.id < other.row.id ? 1 : -1);
}

const words = {
  same: { reason: 'same_names', has: 'has these names already' },
  wider: { reason: 'more_names', has: 'has these names and more' },
  narrower: { reason: 'fewer_names', has: 'has some of these names, and no other' },
} as const satisfies Record<NameRelation, { reason: ReasonOf<'certificate_exists'>; has: string }>;

export function certificateExists({ row: { id, name }, relation }: ExistingCertificate): Problem {
  const { reason, has } = words[relation];
  return new Problem('certificate_exists', {
    field: 'onto',
    reason,
    parameters: { id, name },
    detail: `Certificate ${id} (${name}) ${has}, and nothing was stored. Import this as its next version: "certificate import … --onto ${id}". For a separate certificate: --separate.`,
  });
}
