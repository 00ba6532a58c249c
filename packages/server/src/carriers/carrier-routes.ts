import { listCarriers, replyBySimulator } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import * as settingOperations from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import type { CarrierStates } from './carrier-states.ts';
import type { ManageCarriers } from './manage-carriers.ts';
import type { SimulateReply } from './simulator/simulate-reply.ts';

interface CarrierRoutesNeeds {
  readonly carriers: CarrierStates;
  readonly manageCarriers: ManageCarriers;
  readonly simulateReply: SimulateReply;
}

/** The operations on carriers (contract: carrier-operations, carrier-setting-operations). */
export function carrierRoutes({ carriers, manageCarriers, simulateReply }: CarrierRoutesNeeds): readonly Binding[] {
  const { createCarrier, showCarrier, updateCarrier, enableCarrier, disableCarrier, deleteCarrier } = settingOperations;
  return [
    bind(listCarriers, async ({ page }) => page.ofFew(await carriers.list(), ({ id }) => id)),
    bind(createCarrier, async ({ by, body }) => carriers.show(await manageCarriers.create(by, body))),
    bind(showCarrier, ({ params }) => carriers.show(params.carrier_id)),
    bind(updateCarrier, async ({ by, params, body, requireMatch }) => {
      await manageCarriers.update(by, params.carrier_id, body, (current) => requireMatch(current));
      return carriers.show(params.carrier_id);
    }),
    bind(enableCarrier, async ({ by, params }) => {
      await manageCarriers.setEnabled(by, params.carrier_id, true);
      return carriers.show(params.carrier_id);
    }),
    bind(disableCarrier, async ({ by, params }) => {
      await manageCarriers.setEnabled(by, params.carrier_id, false);
      return carriers.show(params.carrier_id);
    }),
    bind(deleteCarrier, async ({ by, params }) => {
      await manageCarriers.delete(by, params.carrier_id);
      return undefined;
    }),
    bind(replyBySimulator, async ({ by, body }) => {
      await simulateReply(by, body);
      return undefined;
    }),
  ];
}
