import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseKind } from '../../packages/server/src/database/database.ts';
import { type ServerProcess, startProcess } from '../parts/child-link.ts';
import type { Environment, Places } from '../parts/places.ts';
import { type MessageGateway, openGateway } from '../push-parts/message-gateway.ts';
import { startPart } from '../push-parts/push-bench.ts';
import { benchAccount, numberPrefix } from './bench-message.ts';

export interface SubmitCourse {
  readonly databases: readonly DatabaseKind[];
  readonly rounds: number;
  readonly seconds: number;
}

/** What all parts of the submit bench share. */
export interface SubmitBench {
  readonly course: SubmitCourse;
  readonly signal: AbortSignal;
  /** Takes the pushes. */
  readonly receiver: ServerProcess;
  readonly receiverUrl: string;
  readonly places: Places;
}

/** How a client binds to a carrier. */
export interface LinkShape {
  readonly connections: number;
  /** Of each connection. */
  readonly window: number;
  /** Milliseconds between the client and the carrier, both ways together. */
  readonly roundTripMs: number;
}

/** A client of a carrier of its own. */
export interface Client {
  readonly carrier: ServerProcess;
  readonly server: ServerProcess;
  stop(): Promise<void>;
}

export type SubmittingGateway = MessageGateway & Client;

const lookMs = 20;

export async function openSubmitBench(course: SubmitCourse, places: Places, signal: AbortSignal): Promise<SubmitBench> {
  const receiver = await startPart('push-receiver', { BENCH_NUMBER_MARK: `mobile=%2B${numberPrefix}` });
  const [receiverUrl = ''] = receiver.url.split(' ');
  return { course, signal, receiver, receiverUrl, places };
}

/** A whole server, bound to a simulated carrier. */
export async function startGateway(
  bench: SubmitBench,
  name: string,
  kind: DatabaseKind,
  shape: LinkShape,
): Promise<SubmittingGateway> {
  const carrier = await startCarrier(shape);
  const gateway = await openGateway(bench, name, kind, ({ messaging }) =>
    messaging.manageCarriers.create('bench', {
      ...{ name: 'bench', protocol: 'smpp', address: carrier.url },
      ...{ account: benchAccount.id, password: benchAccount.password },
      ...{ connection_count: shape.connections, window: shape.window },
    }),
  );
  while ((await carrier.ask('carried')).binds < shape.connections) await delay(lookMs);
  return { ...gateway, ...clientOf(carrier, gateway.server) };
}

/** The session engine alone, bound to a simulated carrier. */
export async function startBareLinks(shape: LinkShape): Promise<Client> {
  const carrier = await startCarrier(shape);
  const server = await startOwn('bare-links-process', {
    BENCH_CARRIER: carrier.url,
    BENCH_CONNECTIONS: String(shape.connections),
    BENCH_WINDOW: String(shape.window),
  });
  return clientOf(carrier, server);
}

/** A customer who sends to the gateway. */
export function startSender({ server, tokensFile }: MessageGateway): Promise<ServerProcess> {
  return startOwn('message-sender', { BENCH_GATEWAY: server.url, BENCH_TOKENS: tokensFile });
}

/** Each client has its own carrier: one carrier gives its receipts to all clients of an account. */
function startCarrier({ roundTripMs }: LinkShape): Promise<ServerProcess> {
  return startOwn('carrier-process', { BENCH_ROUND_TRIP: String(roundTripMs) });
}

function startOwn(name: string, environment: Environment): Promise<ServerProcess> {
  return startProcess(join(import.meta.dirname, `${name}.ts`), environment);
}

function clientOf(carrier: ServerProcess, server: ServerProcess): Client {
  return {
    carrier,
    server,
    async stop() {
      await server.stop();
      await carrier.stop();
    },
  };
}
