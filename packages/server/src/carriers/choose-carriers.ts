import type { ContentWays } from '@waxwing/smpp/content-pieces.ts';
import type { PartQueue, PartToMove } from '../messages/delivery/part-queue.ts';
import type { Clock } from '../runtime/clock.ts';
import { chooseCarrier } from './carrier-choice.ts';
import type { KnownCarriers, ReadKnownCarriers } from './known-carriers.ts';
import { simulatorId } from './simulator/simulator-carrier.ts';

/** The carrier that is to take a message. `reason` is a sentence for people; undefined: there was no choice. */
interface Choice {
  readonly id: string;
  readonly simulated: boolean;
  readonly reason: string | undefined;
  /** How it wants texts; undefined: as all carriers take them. */
  readonly contentWays: ContentWays | undefined;
}

/** A message that was just accepted, or a part that waits. */
type MessageToGive = Omit<PartToMove, 'refusedBy'> & Partial<Pick<PartToMove, 'refusedBy'>>;

export interface CarrierChoices {
  /** How carriers are chosen at this moment. The function answers undefined when no carrier is to take the message. */
  chooser(): Promise<(message: MessageToGive) => Choice | undefined>;
  /** Another carrier for a part, that has not refused it for now. */
  other(part: PartToMove): Promise<Choice | undefined>;
  /** Whether parts are given to the carrier. */
  takesParts(carrierId: string): Promise<boolean>;
  /** Gives parts that wait for a carrier to others, as far as there are any. @returns how many */
  moveParts(carrierId: string): Promise<number>;
}

interface CarrierChoiceNeeds {
  readonly known: ReadKnownCarriers;
  /** Since when a carrier has no link, epoch milliseconds; undefined: it has one, or nothing is known. */
  readonly downSince: (carrierId: string) => number | undefined;
  readonly queue: Pick<PartQueue, 'move'>;
  readonly clock: Pick<Clock, 'now'>;
  /** From 0 to 1, without 1. */
  readonly random: () => number;
}

/** Until an operator creates a carrier for the first time, the simulator takes everything. */
export function createCarrierChoices({ known, downSince, queue, clock, random }: CarrierChoiceNeeds): CarrierChoices {
  async function chooser() {
    const { carriers, everCreated } = await known();
    if (!everCreated) return () => simulator;
    const ways = new Map(carriers.map(({ id, contentWays }) => [id, contentWays]));
    const candidates = carriers.map((carrier) => ({ ...carrier, downSince: downSince(carrier.id) }));
    return (message: MessageToGive): Choice | undefined => {
      const chosen = chooseCarrier(
        { ...message, refusedBy: message.refusedBy ?? [] },
        candidates,
        clock.now(),
        random(),
      );
      if (chosen === undefined) return undefined;
      const { carrier, reason } = chosen;
      return { id: carrier.id, simulated: false, reason, contentWays: ways.get(carrier.id) };
    };
  }

  return {
    chooser,
    async other(part) {
      const choice = (await chooser())(part);
      return choice === undefined || part.refusedBy.includes(choice.id) ? undefined : choice;
    },
    takesParts: async (carrierId) => isTaking(carrierId, await known()),
    moveParts: async (carrierId) => queue.move(carrierId, await chooser()),
  };
}

const simulator: Choice = { id: simulatorId, simulated: true, reason: undefined, contentWays: undefined };

function isTaking(carrierId: string, { carriers, everCreated }: KnownCarriers): boolean {
  if (carrierId === simulatorId) return !everCreated;
  return carriers.some(({ id, enabled }) => id === carrierId && enabled);
}
