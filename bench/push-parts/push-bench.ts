import { join } from 'node:path';
import type { Application } from '../../packages/server/src/compose.ts';
import type { DatabaseKind } from '../../packages/server/src/database/database.ts';
import { type Flood, type ServerProcess, startProcess } from '../parts/child-link.ts';
import { type Environment, fill, type Places } from '../parts/places.ts';
import { makePushSet, pushSet } from './push-set.ts';

export interface PushCourse {
  readonly databases: readonly DatabaseKind[];
  readonly rounds: number;
  readonly seconds: number;
  /** Of an accept flood. */
  readonly flood: Flood;
  /** Push settings that are in use. */
  readonly settings: number;
  /** Pushes that wait for a dead receiver. */
  readonly waiting: number;
}

/** What all parts of the push bench share: the course, one receiver, and places for servers. */
export interface PushBench {
  readonly course: PushCourse;
  readonly receiver: ServerProcess;
  /** Answers 200. */
  readonly receiverUrl: string;
  /** Accepts connections and never answers. */
  readonly silentUrl: string;
  readonly places: Places;
}

/** A process that pushes, on a database of its own. */
export interface Pusher {
  readonly kind: DatabaseKind;
  readonly server: ServerProcess;
  stop(): Promise<void>;
}

export async function openPushBench(course: PushCourse, places: Places): Promise<PushBench> {
  const receiver = await startPart('push-receiver', {});
  const [receiverUrl = '', silentUrl = ''] = receiver.url.split(' ');
  return { course, receiver, receiverUrl, silentUrl, places };
}

/** The file of this folder as a process. */
export function startPart(name: string, environment: Environment): Promise<ServerProcess> {
  return startProcess(join(import.meta.dirname, `${name}.ts`), environment);
}

/** The settings of a server whose pushes may go to loopback. */
export async function pushPlace(
  { places }: Pick<PushBench, 'places'>,
  name: string,
  kind: DatabaseKind,
): Promise<Environment> {
  return { ...(await places.make(name, kind)), WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8' };
}

/** A push engine with a setting for each URL. @param prepare fills its database before the start */
export async function startEngine(
  bench: PushBench,
  name: string,
  kind: DatabaseKind,
  urls: readonly string[],
  prepare: (application: Application) => Promise<void> = async () => {},
): Promise<Pusher> {
  const place = await pushPlace(bench, name, kind);
  const organizations = await fill(place, async (application) => {
    const ids = await makePushSet(application, urls);
    await prepare(application);
    return ids;
  });
  const server = await startPart('push-engine-process', { ...place, ...pushSet(organizations) });
  return { kind, server, stop: () => server.stop() };
}
