import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { renewalDays } from '@waxwing/contract/renewal-days.ts';
import type { Static } from 'typebox';
import type { Db } from '../../../database/database.ts';
import type { CertificateRequestRow } from '../../../database/schema/acme-tables.ts';
import { toRfc3339 } from '../../../runtime/clock.ts';
import { findCurrentVersions } from '../../certificate-store.ts';
import { toListedIssuance } from './issuance-view.ts';
import {
  countFailing,
  countPlanned,
  listFailing,
  listPlanned,
  type RenewalPart,
  type RenewalSpan,
} from './renewal-store.ts';

type Items = Shown<Static<(typeof contract.listRenewals)['answer']['schema']>>['items'];
export type ComingRenewal = Items[number];
export type RenewalCounts = Shown<Static<(typeof contract.countRenewals)['answer']['schema']>>;

/** A renewal with its place in the order of the list. */
export interface PlacedRenewal {
  readonly renewal: ComingRenewal;
  readonly place: readonly [at: number, certificateId: string];
}

export async function listRenewals(
  db: Db,
  part: RenewalPart,
  of: { readonly failing: boolean } & RenewalSpan,
): Promise<readonly PlacedRenewal[]> {
  const requests = of.failing ? await listFailing(db, part) : await listPlanned(db, part, of);
  const issuance = await toListedIssuance(db, requests);
  const certificates = await findCurrentVersions(
    db,
    requests.map(({ certificate_id }) => certificate_id),
  );
  const byId = new Map(certificates.map((each) => [each.certificate.id, each]));
  return requests.flatMap((request, index) => {
    const found = byId.get(request.certificate_id);
    const issued = issuance[index];
    if (found === undefined || issued === undefined) return [];
    const { certificate, current } = found;
    return {
      renewal: {
        ...{ certificate_id: certificate.id, organization_id: certificate.organization_id },
        ...{ name: certificate.name, state: certificate.state },
        expires_at: current === undefined ? null : toRfc3339(current.not_after),
        ...issued,
      },
      place: [placeOf(request, of.failing), request.certificate_id] as const,
    };
  });
}

function placeOf({ last_error_at, next_at }: CertificateRequestRow, failing: boolean): number {
  return (failing ? last_error_at : next_at) ?? 0;
}

const dayMs = 86_400_000;

/** Of the coming days. What is overdue is of today. @param offsetMs how far days begin before those of UTC */
export async function countRenewals(
  db: Db,
  organizationId: string | undefined,
  now: number,
  offsetMs: number,
): Promise<RenewalCounts> {
  const today = Math.floor((now + offsetMs) / dayMs);
  const until = (today + renewalDays) * dayMs - offsetMs;
  const counts = new Map<number, number>();
  for (const { day, count } of await countPlanned(db, organizationId, { until, offsetMs })) {
    const shown = Math.max(day, today);
    counts.set(shown, (counts.get(shown) ?? 0) + count);
  }
  const days = [...counts].toSorted(([one], [other]) => one - other);
  return {
    from: dateOf(today),
    failing: await countFailing(db, organizationId),
    days: days.map(([day, planned]) => ({ day: dateOf(day), planned })),
  };
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
