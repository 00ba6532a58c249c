import { never } from '../../runtime/wait.ts';
import type { Issuing } from '../issuing.ts';
import type { OrderNeeds } from './orders/order-run.ts';
import { advanceOrder, deleteEndedOrders, lockRunningOrder, wantRevocation } from './orders/order-store.ts';
import { tellRevocation } from './orders/tell-revocation.ts';
import { readIssuance, readListedIssuance } from './requests/issuance-view.ts';
import { deleteRequest, updateRequest } from './requests/request-store.ts';

const tellMs = 10_000;

export function createIssuing(needs: OrderNeeds): Issuing {
  const { database, zone } = needs;
  return {
    read: (certificate) => readIssuance(database.db, certificate, zone),
    readAll: (certificates) => readListedIssuance(database.db, certificates),

    async forget(trx, certificateId, at) {
      await deleteRequest(trx, certificateId);
      await deleteEndedOrders(trx, certificateId);
      const running = await lockRunningOrder(trx, database, certificateId);
      if (running === undefined) return;
      const columns = {
        step: 'clean',
        next_at: at,
        attempts: 0,
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
