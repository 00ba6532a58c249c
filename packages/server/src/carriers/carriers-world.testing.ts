import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Open } from '../database/testing.ts';
import { type MessagesWorld, openMessagesWorld } from '../messages/messages-world.testing.ts';
import { keyCheck } from '../secrets/key-material.ts';
import { type KeyRing, newMasterKey } from '../secrets/key-ring.ts';
import { type CarrierStates, createCarrierStates } from './carrier-states.ts';
import { type CarrierChoices, createCarrierChoices } from './choose-carriers.ts';
import { createKnownCarriers } from './known-carriers.ts';
import type { LinkState } from './link-states.ts';
import { createManageCarriers, type ManageCarriers, type NewCarrier } from './manage-carriers.ts';
import { createNamedCarriers, type NamedCarriers } from './named-carriers.ts';

/** Messages, and carriers that operators set up, on a fresh database. Nobody runs links. */
export interface CarriersWorld extends MessagesWorld {
  readonly carriers: ManageCarriers;
  readonly states: CarrierStates;
  readonly choices: CarrierChoices;
  readonly named: NamedCarriers;
  /** By carrier: what its link is said to do, and since when it is down. */
  readonly links: Map<string, LinkState>;
  readonly down: Map<string, number>;
  /** Carriers that refuse everything. */
  readonly resting: Set<string>;
  /** By carrier: how many numbers are routed from it. */
  readonly routes: Map<string, number>;
  ring(): KeyRing;
  /** Adds a master key, and has it seal from now on. */
  rotate(): Promise<KeyRing>;
  /** Creates a carrier. @returns its id */
  create(name: string, options?: Partial<NewCarrier>): Promise<string>;
}

export const smppCarrier = {
  protocol: 'smpp',
  address: 'smpp.example.com:2775',
  account: 'acme',
  password: 'S3cret12',
} as const;

export async function openCarriersWorld(t: TestContext, open: Open): Promise<CarriersWorld> {
  const world = await openMessagesWorld(t, open);
  const { database, feed, audit, queue } = world;
  const { clock } = world.time;
  const newKey = async (id: number) => {
    const key = newMasterKey(id, randomBytes);
    const row = { id: key.id, key_check: keyCheck(key.key), created_at: key.createdAt };
    await database.db.insertInto('master_key').values(row).execute();
    return key;
  };
  const first = await newKey(1);
  let ring: KeyRing = { current: first, keys: [first] };
  const known = createKnownCarriers({ db: database.db, feed });
  const links = new Map<string, LinkState>();
  const down = new Map<string, number>();
  const resting = new Set<string>();
  const routes = new Map<string, number>();
  const carriers = createManageCarriers({
    ...{ database, feed, audit, clock, ring: () => ring },
    countRoutes: async (_trx, id) => routes.get(id) ?? 0,
  });
  return Object.assign(world, {
    ...{ carriers, links, down, resting, routes },
    states: createCarrierStates({ database, known, readLinks: async () => links }),
    choices: createCarrierChoices({
      ...{ known, queue, clock, downSince: (id) => down.get(id), isResting: (id) => resting.has(id), random: () => 0 },
    }),
    named: createNamedCarriers(database, known),
    ring: () => ring,
    async rotate() {
      const key = await newKey(2);
      ring = { current: key, keys: [key, first] };
      return ring;
    },
    create: (name: string, options: Partial<NewCarrier> = {}) =>
      carriers.create('test', { ...smppCarrier, name, ...options } as NewCarrier),
  });
}
