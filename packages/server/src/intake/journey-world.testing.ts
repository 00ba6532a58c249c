import type { TestContext } from 'node:test';
import type { TakeInbound } from '../carriers/carrier.ts';
import { createSimulatorCarrier, type SimulatorCarrier, simulatorId } from '../carriers/simulator/simulator-carrier.ts';
import { createSubmitWorker } from '../carriers/submit-worker.ts';
import { type Database, isUnavailable } from '../database/database.ts';
import type { Open } from '../database/testing.ts';
import { createStopWords } from '../messages/delivery/apply-reply.ts';
import { readPartsAwaitingReceipt } from '../messages/delivery/parts-awaiting-receipt.ts';
import type { ManualTime } from '../messages/manual-time.testing.ts';
import { buildMessagesWorld, type MessagesNode, type MessagesWorld } from '../messages/messages-world.testing.ts';
import { createTakeInbound } from './take-inbound.ts';

/** A server with the simulator, on a fresh database. */
export interface JourneyWorld {
  readonly world: MessagesWorld;
  readonly take: TakeInbound;
  readonly simulator: SimulatorCarrier;
  /** A server whose simulator runs, stopped at the end of the test. */
  start(database?: Database): Promise<JourneyServer>;
}

interface JourneyServer {
  readonly node: MessagesNode;
  readonly take: TakeInbound;
  readonly simulator: SimulatorCarrier;
  stop(): Promise<void>;
}

export async function openJourneyWorld(
  test: TestContext,
  open: Open,
  options: { readonly time?: ManualTime } = {},
): Promise<JourneyWorld> {
  const database = await open(test);
  const world = await buildMessagesWorld(database, options.time);
  const servers: JourneyServer[] = [];

  function build(node: MessagesNode) {
    const take = createTakeInbound({
      database: node.database,
      deliveries: node.deliveries,
      outbox: node.outbox,
      stopWords: createStopWords(['STOP', '退订']),
      isSimulated: (id) => id === simulatorId,
      clock: world.time.clock,
      log: { warn: (fields, message) => world.log.push({ fields, message }) },
    });
    const simulator = createSimulatorCarrier({
      seed: 'test',
      take,
      readPending: () => readPartsAwaitingReceipt(node.database.db, simulatorId),
      ...world.time,
    });
    return { take, simulator };
  }

  async function start(own?: Database): Promise<JourneyServer> {
    const node = own === undefined ? world : await world.node(own);
    const { take, simulator } = build(node);
    const stopping = new AbortController();
    const ended = createSubmitWorker({
      carrier: simulator,
      queue: node.queue,
      deliveries: node.deliveries,
      holds: () => true,
      takesParts: async () => true,
      moveParts: async () => 0,
      nextCarrier: async () => undefined,
      random: () => 0.5,
      // Time stands still while it stops.
      answersMs: 0,
      log: {
        error: (fields, message) => world.log.push({ fields, message }),
        warn: (fields, message) => world.log.push({ fields, message }),
      },
      ...world.time,
    }).run(stopping.signal);
    const server: JourneyServer = {
      node,
      take,
      simulator,
      async stop() {
        stopping.abort();
        // A test may have closed its database.
        await ended.catch((error: unknown) => {
          if (!isUnavailable(error)) throw error;
        });
      },
    };
    servers.push(server);
    return server;
  }

  test.after(async () => {
    for (const server of servers) await server.stop();
  });
  return { world, ...build(world), start };
}
