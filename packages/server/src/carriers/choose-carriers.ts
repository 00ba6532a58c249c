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
  /** Whether it takes messages now. Else the message waits for it. */
  readonly isAble: boolean;
  /** How it wants texts; undefined: as all carriers take them. */
  readonly contentWays: ContentWays | undefined;
}

/** A message that was just accepted, or a part that waits. */
type MessageToGive = Omit<PartToMove, 'refusedBy'> & Partial<Pick<PartToMove, 'refusedBy'>>;

export interface CarrierChoices {
  /** How carriers are chosen at this moment. The function answers undefined when no carrier is to take the message. */
  chooser(): Promise<(message: MessageToGive) => Choice | undefined>;
  /** Another carrier that takes a part now, and has not refused it. */
  other(part: PartToMove): Promise<Choice | undefined>;
  /** Whether parts are given to the carrier. */
  takesParts(carrierId: string): Promise<boolean>;
  /** Gives parts that wait for a carrier to others that take them now. @returns how many */
  moveParts(carrierId: string): Promise<number>;
}

interface CarrierChoiceNeeds {
  readonly known: ReadKnownCarriers;
  /** Since when a carrier has no link, epoch milliseconds; undefined: it has one, or nothing is known. */
  readonly downSince: (carrierId: string) => number | undefined;
  /** Whether this server leaves a carrier in peace, which refuses everything as temporary. */
  readonly isResting: (carrierId: string) => boolean;
  readonly queue: Pick<PartQueue, 'move'>;
  readonly clock: Pick<Clock, 'now'>;
  /** From 0 to 1, without 1. */
  readonly random: () => number;
}

/** Until an operator creates a carrier for the first time, the simulator takes everything. */
export function createCarrierChoices(needs: CarrierChoiceNeeds): CarrierChoices {
  const { known, downSince, isResting, queue, clock, random } = needs;

  async function chooser() {
    const { carriers, everCreated } = await known();
    if (!everCreated) return () => simulator;
    const ways = new Map(carriers.map(({ id, contentWays }) => [id, contentWays]));
    const candidates = carriers.map((carrier) => {
      return { ...carrier, downSince: downSince(carrier.id), isResting: isResting(carrier.id) };
    });
    return (message: MessageToGive): Choice | undefined => {
      const chosen = chooseCarrier(
        { ...message, refusedBy: message.refusedBy ?? [] },
        candidates,
        clock.now(),
        random(),
      );
      if (chosen === undefined) return undefined;
      const { carrier, reason, isAble } = chosen;
      return { id: carrier.id, simulated: false, reason, isAble, contentWays: ways.get(carrier.id) };
    };
  }

  return {
    chooser,
    async other(part) {
      const choice = (await chooser())(part);
      return choice?.isAble ? choice : undefined;
    },
    takesParts: async (carrierId) => isTaking(carrierId, await known()),
    async moveParts(carrierId) {
      const choose = await chooser();
      return queue.move(carrierId, (part) => ableOf(choose(part)) ?? ableOf(choose({ ...part, refusedBy: [] })));
    },
  };
}

/** A part moves to a carrier that takes it now. Between carriers that do not it would go to and fro. */
const ableOf = (choice: Choice | undefined) => (choice?.isAble ? choice : undefined);

const simulator: Choice = { id: simulatorId, simulated: true, reason: undefined, isAble: true, contentWays: undefined };

function isTaking(carrierId: string, { carriers, everCreated }: KnownCarriers): boolean {
  if (carrierId === simulatorId) return !everCreated;
  return carriers.some(({ id, enabled }) => id === carrierId && enabled);
}
