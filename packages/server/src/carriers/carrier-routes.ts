import { listCarriers, replyBySimulator } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import type { CarrierStates } from './carrier-states.ts';
import type { SimulateReply } from './simulator/simulate-reply.ts';

interface CarrierRoutesNeeds {
  readonly carriers: CarrierStates;
  readonly simulateReply: SimulateReply;
}

/** The operations on carriers (contract: carrier-operations). */
export function carrierRoutes({ carriers, simulateReply }: CarrierRoutesNeeds): readonly Binding[] {
  return [
    bind(listCarriers, async ({ page }) => page.ofFew(await carriers(), ({ id }) => id)),
    bind(replyBySimulator, async ({ by, body }) => {
      await simulateReply(by, body);
      return undefined;
    }),
  ];
}
