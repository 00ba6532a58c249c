import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { wordsForConnectFault } from './connection-words.ts';
import { closeAfter, listenOnLoopback } from './loopback.testing.ts';
import { ConnectTimeout, type LinkTls, openConnection } from './open-connection.ts';
import { trialCertificate, withoutTrialCertificates } from './trial-certificates.testing.ts';

const never = new AbortController().signal;
const skip = withoutTrialCertificates;
const carrier = skip ? { certificate: '', key: '' } : trialCertificate('DNS:carrier.test,IP:127.0.0.1');
const other = skip ? { certificate: '', key: '' } : trialCertificate('DNS:carrier.test');
const trusted: LinkTls = { authorities: carrier.certificate, serverName: undefined, identity: undefined };

const cases: readonly {
  readonly name: string;
  readonly tls: LinkTls;
  readonly server?: TlsOptions;
  /** Words of the fault. Undefined: it connects. */
  readonly fault?: RegExp;
}[] = [
  { name: 'its own authority and address', tls: trusted },
  { name: 'its own authority and a name that is set', tls: { ...trusted, serverName: 'carrier.test' } },
  {
    name: 'another name than the certificate has',
    tls: { ...trusted, serverName: 'other.test' },
    fault: /does not match/,
  },
  {
    name: 'another address than the certificate has',
    tls: { ...trusted, serverName: '127.0.0.2' },
    fault: /127\.0\.0\.2 is not in the cert/,
  },
  { name: 'no authority set', tls: { ...trusted, authorities: undefined }, fault: /self-signed and not trusted/ },
  {
    name: 'another authority',
    tls: { ...trusted, authorities: other.certificate },
    fault: /self-signed and not trusted/,
  },
  {
    name: 'a client certificate that the server wants',
    tls: { ...trusted, identity: other },
    server: { requestCert: true, ca: other.certificate },
  },
];

for (const { name, tls, server: options, fault } of cases) {
  test(`TLS with ${name} ${fault === undefined ? 'connects' : 'is refused'}`, { skip }, async (t) => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
    const server = createTlsServer({ cert: carrier.certificate, key: carrier.key, ...options });
    server.on('secureConnection', (socket) => socket.on('error', () => {}).write('hello'));
    const target = { host: '127.0.0.1', port: await listenOnLoopback(t, server), tls };
    if (fault === undefined) {
      const socket = await openConnection(target, 5000, never);
      closeAfter(t, socket);
      assert.equal(String(await once(socket, 'data')), 'hello');
    } else {
      await assert.rejects(openConnection(target, 5000, never), (error) => fault.test(wordsForConnectFault(error)));
    }
  });
}

test('a server that never finishes the TLS handshake is given up', { skip }, async (t) => {
  const server = createServer((socket) => closeAfter(t, socket.resume()));
  const target = { host: '127.0.0.1', port: await listenOnLoopback(t, server), tls: trusted };
  await assert.rejects(openConnection(target, 30, never), ConnectTimeout);
});

test('a server without TLS is refused where TLS is set', { skip }, async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).end('no TLS here'));
  const target = { host: '127.0.0.1', port: await listenOnLoopback(t, server), tls: trusted };
  await assert.rejects(openConnection(target, 5000, never), /wrong version number|packet length|disconnected/);
});

test('an attempt ends when the signal is aborted', async (t) => {
  const server = createServer((socket) => closeAfter(t, socket));
  const target = { host: '127.0.0.1', port: await listenOnLoopback(t, server), tls: undefined };
  const stop = new AbortController();
  const attempt = openConnection(target, 5000, stop.signal);
  stop.abort(new Error('stopped'));
  await assert.rejects(attempt, /stopped/);
  await assert.rejects(openConnection(target, 5000, stop.signal), /stopped/);
});
