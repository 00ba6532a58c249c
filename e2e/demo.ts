/**
 * `npm run demo`: both parts of the service on this machine, in a temporary folder. Uses only the command line and the
 * customers' interfaces.
 */
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { styleText } from 'node:util';
import type { RetrievalSuccess } from '@waxwing/contract/retrieval-api.ts';
import { type Pebble, withoutPebble } from '../packages/server/src/certificates/acme/protocol/pebble.testing.ts';
import { startPebbleHere } from './acme/pebble-here.ts';
import { type DemoCarrier, startDemoCarrier } from './demo-carrier.ts';
import { type Arrival, type DemoReceiver, startDemoReceiver } from './demo-receiver.ts';
import { freePort } from './free-port.ts';
import { makeOpensslCa } from './openssl-ca.ts';
import { makeWorld, type World } from './world.ts';

/** The script of the demo's carrier has rules for the first six. */
const mobiles = [
  ...['+8613800130000', '+8613800130001', '+8613800130002', '+8613800130003', '+8613800130005', '+8613800130006'],
  ...['+8613800138111', '+8613800138112', '+8613800138113', '+8613800138114'],
];
const limitMs = 180_000;

const say = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};
const heading = (text: string): void => say(`\n${styleText('bold', text)}`);
const done = (what: string, detail = ''): void =>
  say(`  ${styleText('green', '✓')} ${what}${detail === '' ? '' : styleText('dim', `  ${detail}`)}`);

async function showCertificate(world: World, organization: string): Promise<void> {
  heading('A certificate is handed out');
  const ca = await makeOpensslCa(world.folder);
  const { certificate, key } = await ca.issue('site', ['shop.example.com']);
  const chain = ['--certificate', certificate, '--certificate', ca.intermediate];
  const imported = await world.json<{ id: string; not_after: string }>(
    ...['certificate', 'import', '--organization', organization, ...chain, '--key', key],
  );
  done('imported from a trial CA', 'certificate import: chain ordered and verified, key sealed');
  const { token } = await world.json<{ token: string }>(
    ...['deployment', 'create', '--certificate', imported.id, '--name', 'web', '--allow', '127.0.0.1'],
  );
  done('deployment for 127.0.0.1', 'deployment create: its token is shown once');
  const fetched = await fetch(`${world.url}/api/certificate`, { headers: { authorization: `Bearer ${token}` } });
  const { certificate_info: info } = ((await fetched.json()) as RetrievalSuccess).data;
  const blocks = info.certificate.split('BEGIN CERTIFICATE').length - 1;
  done(
    `GET /api/certificate → ${fetched.status}`,
    `${info.domains}: ${blocks} certificates, key, to ${info.expires_at}`,
  );
  const refused = await fetch(`${world.url}/api/certificate`, { headers: { authorization: 'Bearer wrong' } });
  const { message } = (await refused.json()) as { message: string };
  done(`with a wrong token → ${refused.status} ${message}`);
}

const issuedName = 'www.example.test';

async function showIssuing(world: World, organization: string, authority: Pebble | undefined): Promise<void> {
  heading('A certificate is issued, and renewed');
  if (authority === undefined) {
    say(`  ${styleText('dim', `left out: ${withoutPebble}`)}`);
    return;
  }
  writeFileSync(world.path('pebble-root.pem'), authority.rootPem);
  await world.json(
    ...['authority', 'create', '--name', 'pebble', '--directory', authority.directoryUrl],
    ...['--root-file', world.path('pebble-root.pem'), '--email', 'ops@example.com'],
  );
  const issued = await world.json<{ id: string }>(
    ...['certificate', 'request', '--organization', organization, '--authority', 'pebble'],
    ...['--domain', issuedName, '--challenge', 'http-01', '--wait'],
  );
  done(`${issuedName} is issued by Pebble, an ACME authority here`, 'certificate request: HTTP-01');
  const { token } = await world.json<{ token: string }>(
    ...['deployment', 'create', '--certificate', issued.id, '--name', 'www', '--allow', '127.0.0.1'],
  );
  const fetchSerial = async () => {
    const answer = await fetch(`${world.url}/api/download`, { headers: { authorization: `Bearer ${token}` } });
    return new X509Certificate(await answer.text()).serialNumber;
  };
  const before = await fetchSerial();
  await world.json('certificate', 'renew', issued.id, '--wait');
  const after = await fetchSerial();
  if (after === before) throw new Error('the renewed certificate is the former one');
  done('renewed with a new key', `the same token gets serial ${after.slice(-8)} in place of ${before.slice(-8)}`);
}

async function switchPushesOn(world: World, organization: string, receiver: DemoReceiver): Promise<void> {
  const set = ['push-setting', 'set', '--organization', organization, '--enable'];
  const [{ secret }] = await Promise.all([
    world.json<{ secret: string }>(
      ...[...set, '--kind', 'status', '--url', `${receiver.url}/status`, '--secret', 'generate'],
    ),
    world.json(...set, '--kind', 'uplink', '--url', `${receiver.url}/uplink`),
  ]);
  receiver.secret = secret;
  done('both push settings are on', 'push-setting set: statuses are signed');
}

async function sendTen(world: World, organization: string): Promise<string> {
  const { token } = await world.json<{ token: string }>(
    ...['messaging-key', 'create', '--organization', organization, '--name', 'shop', '--allow', '127.0.0.1'],
  );
  const sent = await fetch(`${world.url}/api/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ mobiles, content: 'Your parcel is on its way. 您的包裹已发出。' }),
  });
  const { batch_id: batchId } = ((await sent.json()) as { data: { batch_id: string } }).data;
  done(`POST /api/messages → ${sent.status}`, `${mobiles.length} messages, batch ${batchId}`);
  return batchId;
}

function show({ kind, parameters, answered, signed, id }: Arrival, attempt: number): void {
  const mobile = parameters.get('mobile');
  const said = kind === 'uplink' ? `"${parameters.get('message')}"` : parameters.get('status');
  const memo = parameters.has('memo') ? `memo: ${parameters.get('memo')}` : '';
  const tries = answered === 200 && attempt === 1 ? '' : `attempt ${attempt} of push …${id.slice(-6)}`;
  const proof = signed === undefined ? '' : signed ? 'signature verified' : 'WRONG SIGNATURE';
  const answer = styleText(answered === 200 ? 'green' : 'red', String(answered));
  const detail = [memo, tries, proof].filter((text) => text !== '').join(', ');
  say(`  ${answer} ${kind.padEnd(6)} ${mobile} ${String(said).padEnd(9)} ${styleText('dim', detail)}`);
}

/** Shows arrivals until this many pushes are answered 200. @throws when a signature is wrong */
async function showPushes(receiver: DemoReceiver, count: number): Promise<number> {
  const attempts = new Map<string, number>();
  let delivered = 0;
  while (delivered < count) {
    const arrival = await receiver.next();
    const attempt = (attempts.get(arrival.id) ?? 0) + 1;
    attempts.set(arrival.id, attempt);
    show(arrival, attempt);
    if (arrival.signed === false) throw new Error('a push has a wrong signature');
    if (arrival.answered === 200) delivered += 1;
  }
  return [...attempts.values()].reduce((sum, attempt) => sum + attempt, 0);
}

async function setCarrierUp(world: World, carrier: DemoCarrier): Promise<void> {
  const { account, passwordFile } = carrier;
  await world.json(
    ...['carrier', 'create', '--name', 'demo', '--protocol', 'smpp', '--address', await carrier.address],
    ...['--account', account, '--password-file', passwordFile],
  );
  done('carrier demo is set up', 'carrier create: a link by SMPP to a simulated carrier, simulator smsc');
  const { steps } = await world.json<{ steps: { name: string; ms: number }[] }>('carrier', 'test', 'demo');
  done('it answers', `carrier test: ${steps.map(({ name, ms }) => `${name} ${ms} ms`).join(', ')}`);
}

interface ListedMessage {
  readonly status?: string;
  /** Of those that a carrier took. */
  readonly carrier: string | null;
}

async function showMessages(
  world: World,
  organization: string,
  { carrier, receiver }: Omit<Others, 'authority'>,
): Promise<void> {
  heading('Ten messages go out by SMPP, and their final statuses and a reply are pushed');
  await setCarrierUp(world, carrier);
  await switchPushesOn(world, organization, receiver);
  const batchId = await sendTen(world, organization);
  const requests = await showPushes(receiver, mobiles.length + 1);
  const messages = await world.json<readonly ListedMessage[]>(
    ...['message', 'list', '--organization', organization, '--batch', batchId],
  );
  const settled = messages.filter(({ status }) => status !== undefined);
  const taken = messages.flatMap((message) => message.carrier ?? []);
  done(
    `${settled.length} of ${messages.length} have their final status, ${taken.length} went to ${[...new Set(taken)]}`,
    `${requests} requests to the customer's server`,
  );
}

/**
 * Rejects after a time limit or an interruption, so that the server is ended and the folder removed. Further
 * interruptions change nothing: npm passes on what the terminal sends to all.
 */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`the demo did not end within ${limitMs / 1000} s`)), limitMs).unref();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => reject(new Error('interrupted')));
    }
  });
}

/** What is not ours: the customer's server, the carrier and, if there is one, the authority. */
interface Others {
  readonly receiver: DemoReceiver;
  readonly carrier: DemoCarrier;
  readonly authority: Pebble | undefined;
}

async function demonstrate(world: World, others: Others): Promise<void> {
  await world.start();
  say(`Waxwing listens on ${world.url}, its data in ${world.folder}`);
  const { id } = await world.json<{ id: string }>('organization', 'create', '--name', 'Demo');
  await showCertificate(world, id);
  await showIssuing(world, id, others.authority);
  await showMessages(world, id, others);
  await world.stop();
}

const began = performance.now();
// Before there is anything to remove.
const interrupted = interruption();
interrupted.catch(() => {});
const receiver = await startDemoReceiver();
const httpPort = await freePort();
const authority = withoutPebble === false ? await startPebbleHere(issuedName, { httpPort }) : undefined;
const world = await makeWorld('sqlite', {
  // The receiver is on this machine, and a retry should not take 30 s here.
  WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8',
  WAXWING_PUSH_RETRY_WAITS: '500ms',
  WAXWING_HTTP01_LISTEN: `127.0.0.1:${httpPort}`,
});
const carrier = startDemoCarrier(world.folder);
try {
  await Promise.race([demonstrate(world, { receiver, carrier, authority }), interrupted]);
  say(`\nDone in ${((performance.now() - began) / 1000).toFixed(0)} s; the server is stopped, the folder removed.`);
} catch (error) {
  process.stderr.write(`The demo failed: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  await carrier.end();
  await world.end();
  receiver.close();
  await authority?.[Symbol.asyncDispose]();
}
