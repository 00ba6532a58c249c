import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as sendRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeTrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import {
  type PebbleOptions,
  startPebble,
} from '../../packages/server/src/certificates/acme/protocol/pebble.testing.ts';

/** What a request to Pebble is about, by the first part of its path. */
export type AuthorityStep = keyof typeof stepsByPath;
const stepsByPath = {
  directory: 'dir',
  nonce: 'nonce-plz',
  account: 'sign-me-up',
  place: 'order-plz',
  list: 'list-orderz',
  authorization: 'authZ',
  offer: 'chalZ',
  order: 'my-order',
  finalize: 'finalize-order',
  download: 'certZ',
} as const;

/** `before`: it has not arrived at the authority. `after`: its answer has not arrived at the server. */
export type Moment = 'before' | 'after';

export interface HeldAuthority extends AsyncDisposable {
  readonly directoryUrl: string;
  /** Of its HTTPS. */
  readonly rootPem: string;
  /** What the authority has answered, whether it arrived or not. */
  readonly answers: readonly Answer[];
  /**
   * Waits with this request until `act` has ended, and drops it: so a server can be killed there.
   * @param number which of the requests of this step, from 1
   */
  holdNext(step: AuthorityStep, number: number, moment: Moment, act: () => Promise<void>): Held;
}

export interface Held {
  /** Resolves when the request came and `act` has ended. */
  readonly met: Promise<void>;
}

interface Answer {
  readonly step: AuthorityStep | undefined;
  readonly status: number;
  readonly location: string | undefined;
  /** Of JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Pebble behind a door that can be held. Pebble makes its URLs of the host that it is asked by, so everything that a
 * server asks for comes through the door.
 */
export async function startHeldAuthority(options: PebbleOptions): Promise<HeldAuthority> {
  const pebble = await startPebble(options);
  const root = makeTrialCa({ now: Date.now(), commonName: 'Root of the door' });
  const own = root.issue({ domains: ['127.0.0.1'] });
  const answers: Answer[] = [];
  const directories = new Set<string>();
  let wanted: { step: AuthorityStep; left: number; moment: Moment; take: () => Promise<void> } | undefined;

  /** Whether the request is the one that is held, and if so after it was. */
  async function isHeld(step: AuthorityStep | undefined, moment: Moment): Promise<boolean> {
    if (wanted === undefined || wanted.step !== step || wanted.moment !== moment) return false;
    wanted.left -= 1;
    if (wanted.left > 0) return false;
    const { take } = wanted;
    wanted = undefined;
    await take();
    return true;
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const step = stepOf(request.url ?? '');
    // One that is read once more belongs to a certificate of before, whose window is asked for.
    const isKnown = step === 'directory' && directories.has(request.url ?? '');
    const body = Buffer.concat(await request.toArray());
    if (!isKnown && (await isHeld(step, 'before'))) return void request.socket.destroy();
    const { status, headers, bytes } = await forward(request, body);
    answers.push({ step, status, location: headers.location, body: objectIn(bytes) });
    if (!isKnown && (await isHeld(step, 'after'))) return void request.socket.destroy();
    if (step === 'directory') directories.add(request.url ?? '');
    response.writeHead(status, headers);
    response.end(bytes);
  }

  async function forward(request: IncomingMessage, body: Buffer) {
    const { hostname, port } = new URL(pebble.directoryUrl);
    const { method, url: path, headers } = request;
    const sent = sendRequest({ hostname, port, method, path, headers, ca: pebble.rootPem, agent: false });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(await answer.toArray()) };
  }

  const server = createServer({ cert: own.chainPem, key: own.keyPem }, (request, response) => {
    // The server may have been killed meanwhile.
    take(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    directoryUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/dir`,
    rootPem: root.certificatePem,
    answers,
    holdNext(step, number, moment, act) {
      const met = Promise.withResolvers<void>();
      const take = () => act().then(met.resolve, met.reject);
      wanted = { step, left: number, moment, take };
      return { met: met.promise };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await pebble[Symbol.asyncDispose]();
    },
  };
}

function stepOf(path: string): AuthorityStep | undefined {
  const [, first] = path.split(/[/?]/);
  return (Object.keys(stepsByPath) as AuthorityStep[]).find((step) => stepsByPath[step] === first);
}

function objectIn(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return {};
  }
}
