import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Application } from '../../packages/server/src/compose.ts';
import type { DatabaseKind } from '../../packages/server/src/database/database.ts';
import { type ServerProcess, startProcess } from '../parts/child-link.ts';
import { fill } from '../parts/places.ts';
import { type PushBench, pushPlace } from './push-bench.ts';
import { makePushSet, urlsAt } from './push-set.ts';

/** A whole server that takes messages over HTTP, and pushes what becomes of them to the receiver of its bench. */
export interface MessageGateway {
  readonly kind: DatabaseKind;
  readonly server: ServerProcess;
  /** Messaging keys, one of each organization. */
  readonly tokensFile: string;
}

const organizations = 10;

/** @param prepare fills its database before the start */
export async function openGateway(
  bench: Pick<PushBench, 'places' | 'receiverUrl'>,
  name: string,
  kind: DatabaseKind,
  prepare: (application: Application) => Promise<unknown> = async () => {},
): Promise<MessageGateway> {
  const place = await pushPlace(bench, name, kind);
  const tokens = await fill(place, async (application) => {
    await prepare(application);
    return makeSenders(application, urlsAt(bench.receiverUrl, organizations));
  });
  const tokensFile = join(bench.places.folder, `${name}-${kind}-tokens`);
  writeFileSync(tokensFile, tokens.map((token) => `${token}\n`).join(''), { mode: 0o600 });
  const server = await startProcess(join(import.meta.dirname, '../parts/waxwing-server.ts'), place);
  return { kind, server, tokensFile };
}

async function makeSenders(application: Application, urls: readonly string[]): Promise<string[]> {
  const tokens: string[] = [];
  for (const organizationId of await makePushSet(application, urls)) {
    const key = { organizationId, name: 'bench', allow: ['127.0.0.1'] };
    const { token } = await application.messaging.keys.create('bench', key);
    tokens.push(token.reveal());
  }
  return tokens;
}
