import type { Ground } from '../audit/ground.ts';
import type { TakeInbound } from './carrier.ts';
import {
  createSimulatorCarrier,
  type PendingPart,
  type SimulatorCarrier,
  simulatorId,
} from './simulator/simulator-carrier.ts';

interface SimulatorNeeds extends Pick<Ground, 'clock' | 'wait'> {
  /** The seed of the simulator's outcomes. */
  readonly simulatorSeed: string;
  /** Takes receipts and replies from the carriers. */
  readonly take: TakeInbound;
  /** Parts that a carrier took before a restart and still owes receipts for, page by page. */
  readonly readPending: (carrierId: string) => AsyncIterable<readonly PendingPart[]>;
}

/** Whether the carrier sends nothing to real phones. */
export const isSimulated = (carrierId: string): boolean => carrierId === simulatorId;

/** The carrier that is built in. */
export function createSimulator(needs: SimulatorNeeds): SimulatorCarrier {
  const { simulatorSeed, take, readPending, clock, wait } = needs;
  return createSimulatorCarrier({
    seed: simulatorSeed,
    take,
    readPending: () => readPending(simulatorId),
    clock,
    wait,
  });
}
