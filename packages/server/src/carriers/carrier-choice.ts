import type { Carrier } from './carrier.ts';

interface CarrierChoices {
  /** Real carriers in turn. The simulator only while there is no real one; undefined without any carrier. */
  choose(): Pick<Carrier, 'id' | 'simulated'> | undefined;
  /** The carrier that takes over another one's parts: a real carrier takes those of the simulator. */
  successorOf(carrierId: string): string | undefined;
}

/** @param carriers returns the carriers of the moment */
export function createCarrierChoices(carriers: () => readonly Pick<Carrier, 'id' | 'simulated'>[]): CarrierChoices {
  let turn = 0;
  return {
    choose() {
      const real = carriers().filter(({ simulated }) => !simulated);
      const candidates = real.length > 0 ? real : carriers();
      turn = (turn + 1) % Math.max(1, candidates.length);
      return candidates[turn];
    },
    successorOf(carrierId) {
      const isSimulated = carriers().some(({ id, simulated }) => id === carrierId && simulated);
      return isSimulated ? carriers().find(({ simulated }) => !simulated)?.id : undefined;
    },
  };
}
