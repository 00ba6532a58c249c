import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  respondFrom,
  startNameServer,
  trialRecord,
} from '../../packages/server/src/certificates/acme/dns/name-server.testing.ts';
import { withoutPebble } from '../../packages/server/src/certificates/acme/protocol/pebble.testing.ts';
import type { Database } from '../../packages/server/src/database/database.ts';
import { openDatabase } from '../../packages/server/src/database/open-database.ts';
import { freshDatabase, reasonToSkip } from '../../packages/server/src/database/testing.ts';
import { readNodeId } from '../../packages/server/src/instance/node-identity.ts';
import { freePort } from '../free-port.ts';
import { lastWords } from '../loss/last-words.ts';
import { makeWorld, type World } from '../world.ts';
import { withoutPort } from './free-standard-port.ts';
import { type AuthorityStep, type HeldAuthority, type Moment, startHeldAuthority } from './held-authority.ts';
import { type ProofRelay, startProofRelay } from './proof-relay.ts';

const isFull = process.env.WAXWING_TEST_SCALE === 'full';
const hourMs = 3_600_000;

/**
 * Where a server is killed: at which of the requests of this step that one order makes. Once it is offered, the authority
 * looks for the proof before the server is killed, or else in vain.
 */
type Kill = readonly [step: AuthorityStep, number: number, moment: Moment, proof?: 'in vain'];

/** Every request of an order by HTTP-01. */
const requests: readonly (readonly [AuthorityStep, number])[] = [
  ...(['directory', 'nonce', 'account', 'place', 'offer', 'finalize', 'download'] as const).map(
    (step) => [step, 1] as const,
  ),
  // Read before the proofs, before the key is sent, and after it.
  ...[1, 2, 3].map((number) => ['order', number] as const),
  // Read before its proof is offered, and after it; then taken back.
  ...[1, 2, 3].map((number) => ['authorization', number] as const),
];
const offeredInVain: Kill = ['offer', 1, 'after', 'in vain'];
const everyKill: readonly Kill[] = [
  ...requests.flatMap(([step, number]): Kill[] => [
    [step, number, 'before'],
    [step, number, 'after'],
  ]),
  offeredInVain,
];
/** Those whose answer changes most. */
const fewKills: readonly Kill[] = [
  ['account', 1, 'after'],
  ['place', 1, 'after'],
  ['place', 1, 'before'],
  offeredInVain,
  ['finalize', 1, 'after'],
  ['download', 1, 'before'],
];
const isUnplaced = ([step, , moment]: Kill) => step === 'place' && moment === 'before';
const nameOf = ([step, number, moment, proof]: Kill) => `${moment} ${step} ${number} ${proof ?? ''}`.trim();

/** The order of one kill: a name, an account and a certificate of its own. */
interface Trial {
  readonly domain: string;
  readonly certificate: string;
  /** How many answers the authority had given before. */
  readonly from: number;
}

async function begin(world: World, door: HeldAuthority, number: number, more: object = {}): Promise<Trial> {
  const [name, domain] = [`ca-${number}`, `host${number}.example.test`];
  const from = door.answers.length;
  const [organization] = await world.control.list('listOrganizations', {});
  const params = { organization_id: organization?.id ?? '' };
  await world.control.call('createAuthority', {
    // A directory of its own has a client of its own, which asks for everything anew.
    body: { name, directory: `${door.directoryUrl}?${number}`, root_pem: door.rootPem, email: 'ops@example.com' },
  });
  const body = { authorities: [name], domains: [domain], challenge: 'http-01', ...more } as const;
  const { id } = await world.control.call('requestCertificate', { params, body });
  return { domain, certificate: id, from };
}

const show = (world: World, { certificate }: Trial) =>
  world.control.call('showCertificate', { params: { certificate_id: certificate } });

/** Waits until the order has ended so. A test's limit of time ends it if it never does. */
async function until(world: World, trial: Trial, wanted: 'issued' | 'failed'): Promise<void> {
  for (;;) {
    const { state, progress, renewal } = await show(world, trial);
    const isOver = renewal?.state !== 'running' && progress?.every((each) => each.state !== 'running');
    if (isOver && state !== 'pending') return assert.equal(state, wanted, JSON.stringify(progress));
    await delay(100);
  }
}

/** Holds the next order at its request, kills there once `asked` is answered, and waits until that has happened. */
async function beginAndKill(
  { door, relay }: { readonly door: HeldAuthority; readonly relay: ProofRelay | undefined },
  [step, number, moment, proof]: Kill,
  ask: () => Promise<Trial>,
  { asked, kill }: { readonly asked: World; readonly kill: () => Promise<void> },
): Promise<Trial> {
  const answered = Promise.withResolvers<void>();
  const killed = Promise.withResolvers<void>();
  const isOffered = step === 'offer' && moment === 'after';
  const looked = isOffered && proof === undefined ? relay?.nextFound() : undefined;
  if (proof === 'in vain') relay?.dropNext(killed.promise);
  const { met } = door.holdNext(step, number, moment, async () => {
    await answered.promise;
    await looked;
    await kill();
    killed.resolve();
  });
  const trial = await ask();
  answered.resolve();
  const never = until(asked, trial, 'issued').then(
    () => assert.fail('the order never came so far'),
    // The server that is asked was killed.
    () => met,
  );
  await Promise.race([met, never]);
  return trial;
}

/** So many orders, one account and so many versions; no proof is answered any more. */
async function assertOnce(
  world: World,
  door: HeldAuthority,
  trial: Trial,
  http: string,
  counts: { readonly orders: number; readonly versions: number } = { orders: 1, versions: 1 },
): Promise<void> {
  const answers = door.answers.slice(trial.from);
  const placed = answers.filter(({ step, status }) => step === 'place' && status === 201);
  assert.equal(placed.length, counts.orders, 'orders');
  const accounts = answers.filter(({ step, status }) => step === 'account' && status < 300);
  assert.equal(new Set(accounts.map(({ location }) => location)).size, 1, 'accounts');
  assert.equal(accounts.filter(({ status }) => status === 201).length, 1, 'accounts that were made');
  const versions = await world.control.list('listCertificateVersions', {
    params: { certificate_id: trial.certificate },
  });
  assert.equal(versions.length, counts.versions, 'versions');
  for (const token of tokensIn(answers.map(({ body }) => body))) {
    const answer = await fetch(`${http}/.well-known/acme-challenge/${token}`);
    assert.equal(answer.status, 404, 'a proof is left');
  }
}

/** Of all challenges of the authorizations. */
function tokensIn(bodies: readonly Readonly<Record<string, unknown>>[]): Set<string> {
  const challenges = bodies.flatMap(({ challenges = [] }) => challenges as { token: string }[]);
  return new Set(challenges.map(({ token }) => token));
}

async function assertSound(world: World): Promise<void> {
  assert.deepEqual((await world.control.call('verifyAudit')).faults, []);
  const doctor = await world.waxwing(['doctor', '--json']);
  assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
}

/** Moves the times of the order in the database back by an hour: a story cannot wait for it. */
async function passHour({ db }: Pick<Database, 'db'>, { certificate }: Trial): Promise<void> {
  const order = db.selectFrom('acme_order').selectAll().where('certificate_id', '=', certificate);
  const { id, intent_at, next_at } = await order.executeTakeFirstOrThrow();
  const earlier = (at: number | null) => (at === null ? null : at - hourMs);
  const columns = { intent_at: earlier(intent_at), next_at: earlier(next_at) };
  await db.updateTable('acme_order').set(columns).where('id', '=', id).execute();
  const request = db.selectFrom('certificate_request').selectAll().where('certificate_id', '=', certificate);
  const next = earlier((await request.executeTakeFirstOrThrow()).next_at);
  await db
    .updateTable('certificate_request')
    .set({ next_at: next })
    .where('certificate_id', '=', certificate)
    .execute();
}

const skip = withoutPebble;
const timeout = isFull ? 40 * 60_000 : 10 * 60_000;

test('a server killed at the requests of an order goes on with it', { skip, timeout }, async (t) => {
  const kills = isFull ? everyKill : fewKills;
  const [httpPort, ownPort] = [await freePort(), await freePort()];
  const own = `127.0.0.1:${ownPort}`;
  await using relay = await startProofRelay(httpPort, () => own);
  await using dns = await startNameServer(
    respondFrom(() => kills.map((_, number) => trialRecord(`host${number}.example.test`, 'A', '127.0.0.1'))),
  );
  const options = { httpPort, dnsServer: `127.0.0.1:${dns.port}`, nonceReject: 0 };
  await using door = await startHeldAuthority(options);
  const world = await makeWorld('sqlite', { WAXWING_HTTP01_LISTEN: own });
  try {
    await world.start();
    await world.control.call('createOrganization', { body: { name: 'Killed' } });
    const passHourStopped = async (trial: Trial) => {
      assert.equal(await world.stop(), 0);
      const database = await openDatabase({ kind: 'sqlite', file: world.path('data/waxwing.db') });
      await passHour(database, trial).finally(() => database.close());
      await world.start();
    };
    for (const [number, kill] of kills.entries()) {
      await t.test(nameOf(kill), async () => {
        const dying = { asked: world, kill: () => world.kill() };
        const trial = await beginAndKill({ door, relay }, kill, () => begin(world, door, number), dying);
        await world.start();
        if (isUnplaced(kill)) {
          // The lost order may have been placed. No other is placed within the hour, even if a person asks.
          const params = { certificate_id: trial.certificate };
          await world.control.call('requestCertificateAgain', { params });
          while (!door.answers.slice(trial.from).some((answer) => answer.step === 'list')) await delay(50);
          await untilFound(world, trial);
          await passHourStopped(trial);
        }
        if (kill === offeredInVain) {
          await until(world, trial, 'failed');
          await assertOnce(world, door, trial, `http://${own}`, { orders: 1, versions: 0 });
          await passHourStopped(trial);
        }
        // It stays failed until the next order brings a certificate.
        while (kill === offeredInVain && (await show(world, trial)).state === 'failed') await delay(100);
        await until(world, trial, 'issued');
        const orders = kill === offeredInVain ? 2 : 1;
        await assertOnce(world, door, trial, `http://${own}`, { orders, versions: 1 });
      });
    }
    await assertSound(world);
  } catch (error) {
    console.log(lastWords(world));
    throw error;
  } finally {
    await world.end();
  }
});

/** Until the search for an order has ended without one: the next look is about an hour away. */
async function untilFound(world: World, trial: Trial): Promise<void> {
  for (;;) {
    const params = { certificate_id: trial.certificate };
    const { step, next_at } = await world.control.call('showIssuanceProgress', { params });
    assert.equal(step, 'find');
    if (Date.parse(next_at ?? '') > Date.now() + hourMs / 2) return;
    await delay(50);
  }
}

/** A customer's program that sets records, and the name server that answers with them. */
async function startWebhook(held: { at: 'present' | 'cleanup' | undefined; moment: Moment; act: () => Promise<void> }) {
  const records = new Map<string, Set<string>>();
  const server = createHttpServer(async (request, response) => {
    const { action, name, value } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const isHeld = held.at === action;
    if (isHeld) held.at = undefined;
    if (isHeld && held.moment === 'before') return void held.act().then(() => request.socket.destroy());
    const values = records.get(name) ?? new Set<string>();
    if (action === 'present') values.add(value);
    else values.delete(value);
    records.set(name, values);
    if (isHeld) await held.act();
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    records: () => [...records].flatMap(([name, values]) => [...values].map((value) => ({ name, value }))),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Name servers are asked at port 53. That of 127.0.0.1 belongs to another story, which may run at the same time. */
const nameServer = process.platform === 'linux' ? '127.0.0.4' : '127.0.0.1';
const withoutPort53 = withoutPebble || (await withoutPort(53, nameServer));

test('a server killed while it sets or removes records leaves none behind', {
  skip: withoutPort53,
  timeout,
}, async (t) => {
  const held = { at: undefined as 'present' | 'cleanup' | undefined, moment: 'before' as Moment, act: async () => {} };
  await using webhook = await startWebhook(held);
  const zone = [trialRecord('example.test', 'NS', 'ns.example.test'), trialRecord('ns.example.test', 'A', nameServer)];
  const respond = respondFrom(() => [
    ...zone,
    ...webhook.records().map(({ name, value }) => trialRecord(name, 'TXT', value)),
  ]);
  await using _dns = await startNameServer(respond, { host: nameServer, port: 53 });
  await using door = await startHeldAuthority({ dnsServer: `${nameServer}:53`, nonceReject: 0 });
  const httpPort = await freePort();
  const world = await makeWorld('sqlite', {
    WAXWING_HTTP01_LISTEN: `127.0.0.1:${httpPort}`,
    WAXWING_ACME_ALLOW_NETWORKS: '127.0.0.0/8',
    NODE_OPTIONS: `--import=${new URL('trial-resolver.ts', import.meta.url)}`,
    TRIAL_NAME_SERVER: nameServer,
  });
  try {
    await world.start();
    const { id } = await world.control.call('createOrganization', { body: { name: 'Killed' } });
    await world.control.call('createDnsProvider', {
      params: { organization_id: id },
      body: { name: 'hook', kind: 'webhook', options: { url: webhook.url } },
    });
    const more = { challenge: 'dns-01', dns_provider: 'hook' } as const;
    let number = 0;
    for (const at of ['present', 'cleanup'] as const) {
      for (const moment of ['before', 'after'] as const) {
        await t.test(`${moment} ${at}`, async () => {
          const met = Promise.withResolvers<void>();
          Object.assign(held, { at, moment, act: () => world.kill().then(met.resolve, met.reject) });
          const trial = await begin(world, door, number++, more);
          await met.promise;
          await world.start();
          await until(world, trial, 'issued');
          await assertOnce(world, door, trial, `http://127.0.0.1:${httpPort}`);
          assert.deepEqual(webhook.records(), [], 'records are left');
        });
      }
    }
    for (const step of ['offer', 'finalize'] as const) {
      await t.test(`after ${step}, with a record set`, async () => {
        const dying = { asked: world, kill: () => world.kill() };
        const trial = await beginAndKill(
          { door, relay: undefined },
          [step, 1, 'after'],
          () => begin(world, door, number++, more),
          dying,
        );
        assert.equal(webhook.records().length, 1);
        await world.start();
        await until(world, trial, 'issued');
        await assertOnce(world, door, trial, `http://127.0.0.1:${httpPort}`);
        assert.deepEqual(webhook.records(), [], 'records are left');
      });
    }
    await assertSound(world);
  } catch (error) {
    console.log(lastWords(world));
    throw error;
  } finally {
    await world.end();
  }
});

const withoutNodes =
  skip || (process.platform === 'linux' ? reasonToSkip('postgres') : 'SKIPPED: needs all of 127.0.0.0/8');

test('of two servers on one PostgreSQL, one goes on with the order at which the other is killed', {
  skip: withoutNodes,
  timeout,
}, async (t) => {
  const kills: readonly Kill[] = isFull
    ? everyKill.filter((kill) => kill !== offeredInVain)
    : fewKills.filter(([step, , moment]) => (step === 'account' || step === 'place') && moment === 'after');
  const [httpPort, ownPort] = [await freePort(), await freePort()];
  const nodes: { readonly world: World; readonly id: string; readonly address: string; isUp: boolean }[] = [];
  await using relay = await startProofRelay(httpPort, () => {
    const { address = '' } = nodes.find(({ isUp }) => isUp) ?? {};
    return `${address}:${ownPort}`;
  });
  await using dns = await startNameServer(
    respondFrom(() => kills.map((_, number) => trialRecord(`host${number}.example.test`, 'A', '127.0.0.1'))),
  );
  await using door = await startHeldAuthority({ httpPort, dnsServer: `127.0.0.1:${dns.port}`, nonceReject: 0 });
  const fresh = await freshDatabase('postgres', { empty: true });
  try {
    if (fresh.options.kind !== 'postgres') throw new Error('this is a story of PostgreSQL');
    const { url } = fresh.options;
    const addNode = async (address: string, settings: Readonly<Record<string, string>> = {}) => {
      const world = await makeWorld('sqlite', {
        // The setting decides. A world of SQLite has no database to remove.
        WAXWING_DATABASE_URL: url,
        WAXWING_PUSH_LEASE: '2s',
        WAXWING_HTTP01_LISTEN: `${address}:${ownPort}`,
        ...settings,
      });
      const node = { world, id: '', address, isUp: true };
      nodes.push(node);
      await world.start();
      node.id = readNodeId(world.path('data'), 'postgres');
      return node;
    };
    // One after the other: the first one makes the master key.
    const one = await addNode('127.0.0.2');
    const two = await addNode('127.0.0.3', { WAXWING_MASTER_KEY_FILE: one.world.path('data/master.key') });
    await one.world.control.call('createOrganization', { body: { name: 'Killed' } });

    async function holder() {
      for (;;) {
        const { db } = fresh.database;
        const lease = await db.selectFrom('lease').select('holder').where('name', '=', 'acme/1').executeTakeFirst();
        const node = nodes.find(({ id, isUp }) => isUp && id === lease?.holder);
        if (node !== undefined) return node;
        await delay(50);
      }
    }

    for (const [number, at] of kills.entries()) {
      await t.test(nameOf(at), async () => {
        const dying = await holder();
        const other = dying === one ? two : one;
        const kill = async () => {
          await dying.world.kill();
          dying.isUp = false;
        };
        const ask = () => begin(other.world, door, number);
        const trial = await beginAndKill({ door, relay }, at, ask, { asked: other.world, kill });
        if (isUnplaced(at)) {
          while (!door.answers.slice(trial.from).some((answer) => answer.step === 'list')) await delay(50);
          await untilFound(other.world, trial);
          await passHour(fresh.database, trial);
        }
        await until(other.world, trial, 'issued');
        assert.equal((await holder()).id, other.id, 'the other one has done it');
        await assertOnce(other.world, door, trial, `http://${other.address}:${ownPort}`);
        await dying.world.start();
        dying.isUp = true;
      });
    }
    await assertSound(one.world);
  } catch (error) {
    for (const { world } of nodes) console.log(lastWords(world));
    throw error;
  } finally {
    for (const { world } of nodes) await world.end();
    await fresh.close();
  }
});
