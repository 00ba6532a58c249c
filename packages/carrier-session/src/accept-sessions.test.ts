import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { closeAfter } from './loopback.testing.ts';
import { toyCarrier, toyLink } from './toy-carrier.testing.ts';
import { encodeToy, toyPdu } from './toy-protocol.testing.ts';
import { ask } from './toy-session.testing.ts';
import { trialCertificate, withoutTrialCertificates } from './trial-certificates.testing.ts';

test('connections beyond the most are closed at once', async (t) => {
  const carrier = await toyCarrier(t, { mostConnections: 1 });
  const first = connect(carrier.port, '127.0.0.1');
  closeAfter(t, first);
  first.write(encodeToy(toyPdu('bind', 1, 'secret')));
  await once(first, 'data');
  const second = connect(carrier.port, '127.0.0.1');
  closeAfter(t, second);
  await once(second, 'close');
  assert.equal(carrier.sessions.size, 1);
});

test('a connection that does not bind in time is closed, and one that does stays', async (t) => {
  const carrier = await toyCarrier(t, { bindLimitMs: 400 });
  const [bound, unbound] = [connect(carrier.port, '127.0.0.1'), connect(carrier.port, '127.0.0.1')];
  closeAfter(t, bound);
  closeAfter(t, unbound);
  bound.write(encodeToy(toyPdu('bind', 1, 'secret')));
  unbound.write(encodeToy(toyPdu('bind', 1, 'guess')));
  await once(unbound.resume(), 'close');
  assert.equal(carrier.sessions.size, 1);
  assert.equal(bound.closed, false);
});

test('a listener over TLS takes links that know its authority', { skip: withoutTrialCertificates }, async (t) => {
  const { certificate, key } = trialCertificate('DNS:carrier.test');
  const carrier = await toyCarrier(t, { tls: { certificate, key, clientAuthorities: undefined } });
  const tls = { authorities: certificate, serverName: 'carrier.test', identity: undefined };
  const { link, start, reaches } = toyLink(t, 0, { target: { host: '127.0.0.1', port: carrier.port, tls } });
  start();
  await reaches('bound');
  const outcomes = await Promise.all(Array.from({ length: 1000 }, () => link.submit(ask('text'))));
  assert.ok(outcomes.every(({ kind }) => kind === 'answered'));
});

test('closing the listener ends the sessions in order, and connections in a TLS handshake at once', {
  skip: withoutTrialCertificates,
}, async (t) => {
  const { certificate, key } = trialCertificate('DNS:carrier.test');
  const carrier = await toyCarrier(t, { tls: { certificate, key, clientAuthorities: undefined } });
  const tls = { authorities: certificate, serverName: 'carrier.test', identity: undefined };
  const { start, reaches } = toyLink(t, 0, { target: { host: '127.0.0.1', port: carrier.port, tls } });
  start();
  await reaches('bound');
  const silent = connect(carrier.port, '127.0.0.1');
  closeAfter(t, silent);
  await once(silent, 'connect');
  await carrier.close(5000);
  assert.equal((await reaches('waiting')).lastError, 'the carrier ended the session');
});
