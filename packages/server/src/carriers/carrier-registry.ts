import type { Ground } from '../audit/ground.ts';
import type { Carrier, TakeInbound } from './carrier.ts';
import {
  createSimulatorCarrier,
  type PendingPart,
  type SimulatorCarrier,
  simulatorId,
} from './simulator/simulator-carrier.ts';

/** The carriers of this instance: at present the built-in simulator alone. */
interface CarrierRegistry {
  readonly carriers: readonly Carrier[];
  /** The carrier for replies that an operator simulates. */
  readonly simulator: Pick<SimulatorCarrier, 'reply'>;
}

interface CarrierRegistryNeeds extends Pick<Ground, 'clock' | 'wait'> {
  /** The seed of the simulator's outcomes. */
  readonly simulatorSeed: string;
  /** Takes receipts and replies from the carriers. */
  readonly take: TakeInbound;
  /** Parts that a carrier took before a restart and still owes receipts for, page by page. */
  readonly readPending: (carrierId: string) => AsyncIterable<readonly PendingPart[]>;
}

/** Whether the carrier sends nothing to real phones. */
export const isSimulated = (carrierId: string): boolean => carrierId === simulatorId;

export function createCarrierRegistry(needs: CarrierRegistryNeeds): CarrierRegistry {
  const { simulatorSeed, take, readPending, clock, wait } = needs;
  const simulator = createSimulatorCarrier({
    seed: simulatorSeed,
    take,
    readPending: () => readPending(simulatorId),
    clock,
    wait,
  });
  return { carriers: [simulator], simulator };
}
