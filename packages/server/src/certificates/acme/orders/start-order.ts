import type { Ground } from '../../../audit/ground.ts';
import type { CertificateRequestRow } from '../../../database/schema/acme-tables.ts';
import { lockCertificate } from '../../certificate-store.ts';
import type { AcmeParts } from '../acme-parts.ts';
import { findAuthority } from '../authorities/authority-store.ts';
import { findRequest, updateRequest } from '../requests/request-store.ts';
import { authorityOf, beginOrder } from './begin-order.ts';
import { orderSpacingMs } from './next-step.ts';
import { findLastIssue, lockRunningOrder } from './order-store.ts';

interface Needs extends Pick<Ground, 'database' | 'feed' | 'clock'> {
  readonly parts: Pick<AcmeParts, 'renewalId'>;
}

/** While the order before still removes its proofs. */
const laterMs = 10_000;

/** Begins the order of a request that is due, unless that has changed meanwhile. */
export async function startOrder(needs: Needs, { certificate_id: id }: CertificateRequestRow): Promise<void> {
  const { database, feed, clock, parts } = needs;
  await feed.write(async (trx, note) => {
    const now = clock.now();
    const certificate = await lockCertificate(trx, database, id);
    const request = await findRequest(trx, id);
    if (request === undefined || request.next_at === null || request.next_at > now) return;
    if (certificate === undefined || certificate.state === 'revoked') {
      return updateRequest(trx, id, { next_at: null, ari_next_at: null });
    }
    if ((await lockRunningOrder(trx, database, id)) !== undefined) {
      return updateRequest(trx, id, { next_at: now + laterMs });
    }
    const authority = await findAuthority(trx, authorityOf(request));
    if (authority === undefined) {
      const last_error = `There is no authority ${authorityOf(request)} any more.`;
      return updateRequest(trx, id, { next_at: null, last_error, last_error_at: now });
    }
    if (authority.rests_until !== null && authority.rests_until > now) {
      return updateRequest(trx, id, { next_at: authority.rests_until });
    }
    // The authority may have moved the window to the moment after it issued. Only people order again within the hour.
    const last = await findLastIssue(trx, id, authority.id);
    if (last !== null && last + orderSpacingMs > now) return updateRequest(trx, id, { next_at: last + orderSpacingMs });
    await beginOrder(trx, parts, certificate, request, now);
    note('certificate', id, certificate.organization_id);
  });
}
