import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { readCertificates, type X509 } from '@waxwing/pki/x509.ts';
import type { CertificateRow, CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { droppedDomains, parseDomains } from './certificate.ts';

export type Comparison = Shown<contract.Comparison>;

/** The parts of a version that are compared. */
export type ComparedVersion = Pick<CertificateVersionRow, 'domains' | 'chain' | 'key_type' | 'issuer' | 'not_after'>;

/** The enabled deployments that would fetch the next version. */
interface Touched {
  readonly count: number;
  /** The first of them. */
  readonly names: readonly string[];
}

/** The changes for servers when `after` becomes the current version in place of `before`. */
export function compareVersions(
  certificate: Pick<CertificateRow, 'id' | 'name'>,
  before: ComparedVersion & Pick<CertificateVersionRow, 'id' | 'number'>,
  after: ComparedVersion,
  { count, names }: Touched,
): Comparison {
  const [then, now] = [parseDomains(before.domains), parseDomains(after.domains)];
  const [chainBefore, chainAfter] = [readCertificates(before.chain), readCertificates(after.chain)];
  const lost = droppedDomains(then, now);
  return {
    id: certificate.id,
    name: certificate.name,
    version: before.id,
    number: before.number,
    gained: droppedDomains(now, then),
    lost,
    key: { before: before.key_type, after: after.key_type, same_key: isSameKey(chainBefore[0], chainAfter[0]) },
    issuer: { before: before.issuer, after: after.issuer },
    chain: { before: chainBefore.length, after: chainAfter.length },
    expires: { before: toRfc3339(before.not_after), after: toRfc3339(after.not_after) },
    deployments: names,
    deployment_count: count,
    needs_confirmation: lost.length > 0 && count > 0,
  };
}

function isSameKey(before: X509 | undefined, after: X509 | undefined): boolean {
  return after?.keyObject !== undefined && before?.keyObject?.equals(after.keyObject) === true;
}
