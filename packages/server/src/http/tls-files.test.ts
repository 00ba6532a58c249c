import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { type SelfSigned, selfSigned, withoutOpenssl } from './self-signed.testing.ts';
import { createHttpServer, replaceTls } from './server.ts';
import { createTlsWatch, readTlsFiles, type TlsFiles } from './tls-files.ts';

const skip = withoutOpenssl;

function newFiles(context: TestContext): TlsFiles {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-tls-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
}

/** As agents do: written beside, then renamed over. */
function replaceFile(file: string, bytes: string | Buffer): void {
  writeFileSync(`${file}.new`, bytes);
  renameSync(`${file}.new`, file);
}

function replacePair({ certificate, key }: TlsFiles, pair: SelfSigned): void {
  replaceFile(certificate, pair.cert);
  replaceFile(key, pair.key);
}

const nameOf = (cert: string | Buffer): string => new X509Certificate(cert).subject;

/** A watch whose time the test moves: `look()` lets it look at the files once. */
function watch(
  context: TestContext,
  files: TlsFiles,
  serve: (material: ReturnType<typeof readTlsFiles>) => void,
  startsAt = 0,
) {
  const lines: string[] = [];
  const told: object[] = [];
  const note = (fields: object, message: string) => {
    lines.push(message);
    told.push(fields);
  };
  const log = { info: note, warn: note } as unknown as Parameters<typeof createTlsWatch>[3];
  const stop = new AbortController();
  const time = { now: startsAt };
  let waiting = Promise.withResolvers<() => void>();
  const wait = (_ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve());
      waiting.resolve(resolve);
    });
  const ended = createTlsWatch(files, readTlsFiles(files), serve, log, wait, { now: () => time.now }).run(stop.signal);
  context.after(async () => {
    stop.abort();
    await ended;
  });
  return {
    lines,
    told,
    time,
    async look(): Promise<void> {
      const goOn = await waiting.promise;
      waiting = Promise.withResolvers();
      goOn();
      await waiting.promise;
    },
  };
}

test('a pair that was replaced is served once; files that stay the same are not', { skip }, async (context) => {
  const files = newFiles(context);
  replacePair(files, selfSigned('first'));
  const served: string[] = [];
  const { lines, look } = watch(context, files, ({ cert }) => void served.push(nameOf(cert)));
  await look();
  assert.deepEqual(served, []);
  const next = selfSigned('second');
  replacePair(files, next);
  await look();
  await look();
  assert.deepEqual(served, ['CN=second']);
  assert.deepEqual(lines, ['own TLS certificate read again']);
});

test('a pair that is half replaced, broken or gone is left for later, with one warning for each trouble', {
  skip,
}, async (context) => {
  const files = newFiles(context);
  replacePair(files, selfSigned('first'));
  const served: string[] = [];
  const { lines, look } = watch(context, files, ({ cert }) => void served.push(nameOf(cert)));
  const next = selfSigned('second');
  replaceFile(files.certificate, next.cert);
  await look();
  await look();
  assert.equal(lines.length, 1);
  rmSync(files.key);
  await look();
  await look();
  assert.equal(lines.length, 2);
  assert.deepEqual(served, []);
  replaceFile(files.key, next.key);
  await look();
  assert.deepEqual(served, ['CN=second']);
  assert.deepEqual(lines.slice(0, 2), Array(2).fill('own TLS certificate kept: the new files are not usable'));
});

test('a trouble that comes back after it was gone is told again', { skip }, async (context) => {
  const files = newFiles(context);
  const pair = selfSigned('first');
  replacePair(files, pair);
  const { lines, look } = watch(context, files, () => {});
  for (const text of ['', pair.cert, '']) {
    replaceFile(files.certificate, text);
    await look();
  }
  assert.equal(lines.length, 2);
});

test('the end of what is served is told at the start, when it is near, when it is there, and of each new pair', {
  skip,
}, async (context) => {
  const files = newFiles(context);
  const pair = selfSigned('first');
  replacePair(files, pair);
  const until = new X509Certificate(pair.cert).validToDate;
  const { lines, told, time, look } = watch(context, files, () => {}, until.getTime());
  assert.deepEqual(lines, ['own TLS certificate has expired']);
  assert.deepEqual(told, [{ certificate: files.certificate, until: until.toISOString() }]);
  time.now = until.getTime() - 14 * 86_400_000 - 1;
  await look();
  assert.equal(lines.length, 1);
  for (let looks = 0; looks < 2; looks += 1) {
    time.now = until.getTime() - 14 * 86_400_000;
    await look();
  }
  assert.deepEqual(lines.slice(1), ['own TLS certificate expires soon']);
  replacePair(files, selfSigned('second'));
  await look();
  assert.deepEqual(lines.slice(2), ['own TLS certificate read again', 'own TLS certificate expires soon']);
  time.now = until.getTime() + 60_000;
  await look();
  assert.deepEqual(lines.slice(4), ['own TLS certificate has expired']);
});

test('links that are pointed elsewhere are followed', { skip }, async (context) => {
  const files = newFiles(context);
  const [one, two] = [newFiles(context), newFiles(context)];
  const next = selfSigned('second');
  replacePair(one, selfSigned('first'));
  replacePair(two, next);
  symlinkSync(one.certificate, files.certificate);
  symlinkSync(one.key, files.key);
  const served: string[] = [];
  const { look } = watch(context, files, ({ cert }) => void served.push(nameOf(cert)));
  for (const [link, target] of [
    [files.certificate, two.certificate],
    [files.key, two.key],
  ] as const) {
    symlinkSync(target, `${link}.new`);
    renameSync(`${link}.new`, link);
  }
  await look();
  assert.deepEqual(served, ['CN=second']);
});

test('files that cannot be used at the start are refused by the name of their setting', { skip }, (context) => {
  const files = newFiles(context);
  const refused = (field: string, message: RegExp) =>
    assert.throws(() => readTlsFiles(files), { code: 'invalid_parameter', field, message });
  refused('WAXWING_TLS_CERTIFICATE', /tls\.crt cannot be read: ENOENT/);
  const pair = selfSigned('first');
  replaceFile(files.certificate, pair.cert);
  refused('WAXWING_TLS_KEY', /tls\.key cannot be read: ENOENT/);
  for (const key of ['', 'no key', selfSigned('another').key]) {
    replaceFile(files.key, key);
    refused('WAXWING_TLS_CERTIFICATE', /are not a PEM certificate and its private key/);
  }
  replaceFile(files.key, pair.key);
  assert.equal(nameOf(readTlsFiles(files).cert), 'CN=first');
});

test('a client that connects after the files were replaced sees the new certificate, an open connection lives on', {
  skip,
}, async (context) => {
  const files = newFiles(context);
  const [first, second] = [selfSigned('first'), selfSigned('second')];
  replacePair(files, first);
  const app = createHttpServer({
    log: { error: () => {}, warn: () => {} },
    clock: { now: () => 0, monotonic: () => 0 },
    tls: readTlsFiles(files),
    limits: { headerBytes: 16_384, connections: 10 },
  });
  app.get('/', (_request, reply) => reply.send('here'));
  await app.listen({ host: '127.0.0.1', port: 0 });
  context.after(() => app.close());
  const { look } = watch(context, files, (material) => replaceTls(app, material));
  const { port } = app.server.address() as AddressInfo;
  /** Verified, by name. */
  const open = async () => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: [first.cert, second.cert] });
    context.after(() => socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  };
  const before = await open();
  assert.equal(before.getPeerCertificate().subject.CN, 'first');
  replacePair(files, second);
  await look();
  assert.equal((await open()).getPeerCertificate().subject.CN, 'second');
  before.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.match(String((await once(before, 'data'))[0]), /^HTTP\/1\.1 200 OK\r\n/);
});
