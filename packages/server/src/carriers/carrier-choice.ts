import type { Carrier } from './carrier.ts';

/** Which carrier gets the next message. */
export interface CarrierChoices {
  /** Real carriers in turn; the simulator only while there is no real one; undefined: there is none at all. */
  choose(): Pick<Carrier, 'id' | 'simulated'> | undefined;
  /** Who takes the parts of a carrier instead of it: a real one those of the simulator. */
  heirOf(carrierId: string): string | undefined;
}

/** @param carriers those that there are at the moment */
export function createCarrierChoices(carriers: () => readonly Pick<Carrier, 'id' | 'simulated'>[]): CarrierChoices {
  let turn = 0;
  return {
    choose() {
      const real = carriers().filter(({ simulated }) => !simulated);
      const candidates = real.length > 0 ? real : carriers();
      turn = (turn + 1) % Math.max(1, candidates.length);
      return candidates[turn];
    },
    heirOf(carrierId) {
      const isSimulated = carriers().some(({ id, simulated }) => id === carrierId && simulated);
      return isSimulated ? carriers().find(({ simulated }) => !simulated)?.id : undefined;
    },
  };
}
