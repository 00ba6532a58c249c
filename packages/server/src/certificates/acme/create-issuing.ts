import type { AcmeOrderRow, AuthorityRow } from '../../database/schema/acme-tables.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { never } from '../../runtime/wait.ts';
import type { Issuing } from '../issuing.ts';
import { findAuthority } from './authorities/authority-store.ts';
import { orderSpacingMs } from './orders/next-step.ts';
import type { OrderNeeds } from './orders/order-run.ts';
import {
  advanceOrder,
  deleteEndedOrders,
  findUntoldRevocation,
  lockRunningOrder,
  wantRevocation,
} from './orders/order-store.ts';
import { tellRevocation } from './orders/tell-revocation.ts';
import { renewalTimeAfterChoice } from './renewal/renewal-time.ts';
import { readIssuance, readListedIssuance } from './requests/issuance-view.ts';
import { deleteRequest, findRequest, updateRequest } from './requests/request-store.ts';

const tellMs = 10_000;

export function createIssuing(needs: OrderNeeds): Issuing {
  const { database, zone, parts, random } = needs;
  return {
    read: (certificate) => readIssuance(database.db, certificate, zone),
    readAll: (certificates) => readListedIssuance(database.db, certificates),

    async replan(trx, certificateId, version, at) {
      const request = await findRequest(trx, certificateId);
      if (request === undefined) return;
      const none = { window_start: null, window_end: null };
      // An order under way plans the renewal when it ends.
      if (request.next_at === null) return updateRequest(trx, certificateId, { ...none, ari_next_at: at });
      const lifetime = { notBefore: version.not_before, notAfter: version.not_after };
      const planned = parts.renewalTime({ now: at, ...lifetime, window: undefined, random: random() });
      await updateRequest(trx, certificateId, {
        ...{ ...none, ari_next_at: at, updated_at: at },
        next_at: Math.max(planned, renewalTimeAfterChoice(lifetime, at)),
        ...{ attempts: 0, last_error: null, last_error_at: null },
      });
    },

    async forget(trx, certificateId, at) {
      const untold = await findUntoldRevocation(trx, certificateId);
      if (untold !== undefined) throw revocationUntold(untold, await findAuthority(trx, untold.authority_id));
      await deleteRequest(trx, certificateId);
      await deleteEndedOrders(trx, certificateId, at - orderSpacingMs);
      const running = await lockRunningOrder(trx, database, certificateId);
      if (running === undefined) return;
      const columns = {
        step: 'clean',
        next_at: at,
        attempts: 0,
        ...{ sealed_key: null, key_id: null },
        failure: 'The certificate was deleted.',
        updated_at: at,
      };
      await advanceOrder(trx, running, columns);
    },

    async revoke(trx, certificateId, versionId, at) {
      if (versionId === undefined) await updateRequest(trx, certificateId, { next_at: null, ari_next_at: null });
      return wantRevocation(trx, certificateId, versionId, at);
    },

    async tell(orderIds) {
      const signal = AbortSignal.any([never, AbortSignal.timeout(tellMs)]);
      const told: (boolean | undefined)[] = [];
      for (const id of orderIds) {
        // It is told later, by the worker.
        told.push(await tellRevocation(needs, id, signal).catch(() => false));
      }
      const asked = told.filter((each) => each !== undefined);
      return asked.length === 0 ? null : asked.every(Boolean);
    },
  };
}

/** Order and key are needed to tell it: with the certificate they would be gone. */
function revocationUntold(order: AcmeOrderRow, authority: AuthorityRow | undefined): Problem {
  const name = authority?.name ?? order.authority_id;
  const until = toRfc3339(order.revoke_at ?? 0);
  const error = order.failure ?? 'It is being told.';
  return new Problem('conflict', {
    field: 'certificate',
    reason: 'revocation_untold',
    parameters: { authority: name, until, error },
    detail: `${name} does not know yet that the certificate is revoked, and is told again at ${until}. Delete it after that. ${error}`,
  });
}
