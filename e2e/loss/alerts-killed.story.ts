import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { makeTrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import { reasonToSkip } from '../../packages/server/src/database/testing.ts';
import { makeWorld, type World } from '../world.ts';

const kills = process.env.WAXWING_TEST_SCALE === 'full' ? 20 : 4;
const day = 86_400_000;

/** A receiver of alerts that answers none of them until it is told to. */
interface Receiver {
  readonly port: number;
  /** The ids of alerts that were answered with 200, and what they said. */
  readonly accepted: Map<string, string>;
  /** The number of requests so far. */
  readonly requests: number;
  answers: boolean;
  /** Resolves when another request has come. */
  next(): Promise<void>;
  close(): void;
}

async function startReceiver(): Promise<Receiver> {
  const accepted = new Map<string, string>();
  const waiting: ServerResponse[] = [];
  let requests = 0;
  let announce = () => {};
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests += 1;
    if (receiver.answers) {
      accepted.set(String(request.headers['webhook-id']), body);
      response.writeHead(200).end();
    } else waiting.push(response);
    announce();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    port: (server.address() as AddressInfo).port,
    accepted,
    get requests() {
      return requests;
    },
    answers: false,
    next: () =>
      new Promise<void>((resolve) => {
        announce = resolve;
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}

async function importEnding(world: World, organization: string, name: string): Promise<void> {
  const leaf = makeTrialCa({ now: Date.now() }).issue({
    domains: [`${name}.example.test`],
    notAfter: Math.floor((Date.now() + 20 * day) / 1000) * 1000,
  });
  const files = [{ name: 'pair.pem', base64: Buffer.from(leaf.certificatePem + leaf.keyPem).toString('base64') }];
  await world.control.call('importCertificate', { params: { organization_id: organization }, body: { files } });
}

for (const kind of ['sqlite', 'postgres'] as const) {
  const skip = reasonToSkip(kind);
  test(`alerts that were decided reach their receiver past ${kills} kills, each told once (${kind})`, {
    skip,
  }, async () => {
    const world = await makeWorld(kind, {
      WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8',
      WAXWING_ALERT_EVERY: '1s',
      WAXWING_PUSH_LEASE: '2s',
      WAXWING_LOG_LEVEL: 'info',
    });
    const receiver = await startReceiver();
    try {
      await world.start();
      const { id: organization } = await world.control.call('createOrganization', { body: { name: 'Killed' } });
      const url = `http://127.0.0.1:${receiver.port}/alerts?secret=S3cret`;
      await world.control.call('createInstanceAlertChannel', { body: { kind: 'webhook', name: 'operators', url } });
      let came = receiver.next();
      for (let kill = 1; kill <= kills; kill += 1) {
        await importEnding(world, organization, `kill-${kill}`);
        // A request with this alert or a former one is under way, and the receiver has not answered it.
        await came;
        await world.kill();
        came = receiver.next();
        await world.start();
      }
      receiver.answers = true;
      const told = async () =>
        (await world.control.list('listAlerts')).filter(({ kind }) => kind === 'certificate.expiring');
      const isDone = async () => {
        const sent = (await told()).filter(({ deliveries: [only, ...more] }) => only?.state === 'sent' && !more[0]);
        return sent.length === kills;
      };
      for (const end = Date.now() + 120_000; !(await isDone()); ) {
        assert.ok(Date.now() < end, `not all were sent: ${JSON.stringify(await told())}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      const alerts = await told();
      assert.deepEqual(
        alerts.map(({ parameters }) => parameters.certificate).sort(),
        Array.from({ length: kills }, (_, index) => `kill-${index + 1}.example.test`),
        'each was told once',
      );
      for (const { id, subject } of alerts) {
        const { type, organization: named, ...said } = JSON.parse(receiver.accepted.get(id) ?? '{}');
        assert.deepEqual([type, named, said.subject], ['certificate.expiring', organization, subject]);
      }
      assert.ok(receiver.requests > kills, 'what was cut off came again');
      assert.doesNotMatch(world.log, /S3cret/);
    } finally {
      receiver.close();
      await world.end();
    }
  });
}
