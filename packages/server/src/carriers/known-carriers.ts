import type { ContentWays } from '@waxwing/smpp/content-pieces.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Db } from '../database/database.ts';
import { createFactMemory } from '../database/fact-memory.ts';
import type { CarrierRow } from '../database/schema/carrier-tables.ts';
import type { CandidateCarrier } from './carrier-choice.ts';
import { listCarriersEver } from './carrier-store.ts';
import { contentWays } from './content-ways.ts';
import { toSettings } from './stored-carrier.ts';

/** A carrier as far as its choice depends on what an operator has set. */
export interface KnownCarrier extends Omit<CandidateCarrier, 'downSince'> {
  readonly contentWays: ContentWays;
}

export interface KnownCarriers {
  /** Those that are not deleted, oldest first. */
  readonly carriers: readonly KnownCarrier[];
  /** Whether there ever was one. From then on the simulator takes nothing. */
  readonly everCreated: boolean;
  /** By id, also of deleted ones. */
  readonly names: ReadonlyMap<string, string>;
}

/** The carriers that operators have set up, in memory. */
export type ReadKnownCarriers = () => Promise<KnownCarriers>;

/** Stands for all carriers: a change of it tells that there is one more. */
export const everyCarrier = '';

export function createKnownCarriers({ db, feed }: { readonly db: Db; readonly feed: ChangeFeed }): ReadKnownCarriers {
  const memory = createFactMemory<KnownCarriers>({
    feed,
    kind: 'carrier',
    maxEntries: 1,
    restsOn: ({ names }) => [...names.keys()].map((id) => `carrier:${id}` as const),
    read: async () => new Map([[everyCarrier, toKnown(await listCarriersEver(db))]]),
  });
  return async () => {
    const known = memory.find(everyCarrier) ?? (await memory.load(everyCarrier));
    if (known === undefined) throw new TypeError('the carriers are always known, if there are any or not');
    return known;
  };
}

function toKnown(rows: readonly CarrierRow[]): KnownCarriers {
  return {
    carriers: rows.filter(({ deleted_at }) => deleted_at === null).map(toKnownCarrier),
    everCreated: rows.length > 0,
    names: new Map(rows.map(({ id, name }) => [id, name])),
  };
}

function toKnownCarrier(row: CarrierRow): KnownCarrier {
  const settings = toSettings(row);
  const { id, name, enabled, priority, weight, for_prefix, for_organization, for_sender } = settings;
  return {
    ...{ id, name, enabled, priority, weight },
    contentWays: contentWays(settings),
    ...{ forPrefix: for_prefix, forOrganization: for_organization, forSender: for_sender },
  };
}
