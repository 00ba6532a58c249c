import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import { listCarriers, replyBySimulator } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import * as settingOperations from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import type { CarrierStates } from './carrier-states.ts';
import type { ManageCarriers } from './manage-carriers.ts';
import type { SimulateReply } from './simulator/simulate-reply.ts';

/** Tries a carrier over a connection of its own. @throws Problem `not_found` */
export type TestCarrier = (
  by: string,
  id: string,
  message: { readonly to?: string | undefined; readonly text?: string | undefined },
  signal: AbortSignal,
) => Promise<Shown<settingOperations.TestedCarrier>>;

interface CarrierRoutesNeeds {
  readonly carriers: CarrierStates;
  readonly manageCarriers: ManageCarriers;
  readonly simulateReply: SimulateReply;
  readonly testCarrier: TestCarrier;
}

/** The operations on carriers (contract: carrier-operations, carrier-setting-operations). */
export function carrierRoutes(needs: CarrierRoutesNeeds): readonly Binding[] {
  const { carriers, manageCarriers, simulateReply, testCarrier } = needs;
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
    bind(settingOperations.testCarrier, (call) =>
      testCarrier(call.by, call.params.carrier_id, call.body, call.disconnectSignal()),
    ),
    bind(replyBySimulator, async ({ by, body }) => {
      await simulateReply(by, body);
      return undefined;
    }),
  ];
}
