import type { Database, Db } from '../database/database.ts';
import { Problem } from '../runtime/problem.ts';
import { findCarrierByName, lockCarrier } from './carrier-store.ts';
import type { ReadKnownCarriers } from './known-carriers.ts';
import { simulatorId } from './simulator/simulator-carrier.ts';

/** Carriers as other domains name them. */
export interface NamedCarriers {
  /**
   * Finds a carrier by its id or name, and keeps it from being deleted until the transaction ends.
   * @returns its id
   * @throws Problem `invalid_parameter`, naming `carrier`
   */
  require(trx: Db, text: string): Promise<string>;
  /** Names by id, also of deleted carriers. */
  names(): Promise<ReadonlyMap<string, string>>;
}

export function createNamedCarriers(database: Pick<Database, 'dialect'>, known: ReadKnownCarriers): NamedCarriers {
  return {
    async require(trx, text) {
      if (text === simulatorId) return simulatorId;
      const id = (await findCarrierByName(trx, text))?.id ?? text;
      if ((await lockCarrier(trx, database, id)) !== undefined) return id;
      const { carriers } = await known();
      const names = [...carriers.map(({ name }) => name), simulatorId];
      throw new Problem('invalid_parameter', {
        field: 'carrier',
        detail: `carrier must be one of ${names.join(', ')}.`,
      });
    },
    names: async () => (await known()).names,
  };
}
