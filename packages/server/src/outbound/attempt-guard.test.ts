import assert from 'node:assert/strict';
import { connect as tcpConnect } from 'node:net';
import { test } from 'node:test';
import { networkSet } from '../http/request/ip-address.ts';
import { attempt, deliver, facts, makeAgent } from './attempt.testing.ts';
import { startTrialDns } from './dns-server.testing.ts';
import { dnsResolver } from './host-resolver.ts';
import { ownEndpoints } from './own-endpoints.ts';
import { reply, startTrialReceiver } from './receiver.testing.ts';
import { loopbackForms, privateForms } from './target-forms.testing.ts';
import { checkTargetUrl, type TargetGuard } from './target-guard.ts';
import { parseTargetUrl } from './target-url.ts';

test('a peer that is not the address dialled gets nothing', async () => {
  await using receiver = await startTrialReceiver();
  // The way is bent under us: the address was public, the connection ends on loopback.
  using agent = makeAgent({ openSocket: () => tcpConnect(receiver.port, '127.0.0.1') }, { allowed: networkSet([]) });
  for (const scheme of ['http', 'https']) {
    const outcome = await attempt(agent, `${scheme}://93.184.216.34/`);
    assert.deepEqual(facts(outcome), { kind: 'blocked', why: 'not-public', address: '127.0.0.1' });
  }
  assert.deepEqual(receiver.requests, []);
});

test('no spelling of a host that is not public is ever dialled', async () => {
  await using v4 = await startTrialReceiver('127.0.0.1');
  await using v6 = await startTrialReceiver('::1').catch(() => undefined);
  const dialled: unknown[] = [];
  using agent = makeAgent(
    {
      openSocket: (options) => {
        dialled.push(options.host);
        return tcpConnect(options);
      },
    },
    { allowed: networkSet([]) },
  );
  let tried = 0;
  for (const form of [...loopbackForms, ...privateForms]) {
    for (const port of [v4.port, v6?.port ?? 1]) {
      for (const scheme of ['http', 'https']) {
        const parsed = parseTargetUrl(`${scheme}://${form}:${port}/`);
        if (!parsed.ok) continue;
        tried++;
        const outcome = await deliver(agent, parsed.target);
        assert.match(outcome.kind, /^(?:blocked|unresolved)$/, form);
      }
    }
  }
  assert.ok(tried > 43 * 4, `${tried}`);
  assert.deepEqual(dialled, []);
  assert.equal(v4.connections, 0);
  assert.equal(v6?.connections ?? 0, 0);
});

test('a name that changes its answer between save and dial gets nothing', async () => {
  await using forbidden = await startTrialReceiver();
  await using dns = await startTrialDns({ 'rebind.example': ['93.184.216.34'] });
  const resolve = dnsResolver(dns.resolver);
  using agent = makeAgent({}, { allowed: networkSet([]), resolve });
  const guard: TargetGuard = { allowed: networkSet([]), own: ownEndpoints(() => []), resolve };
  const url = `http://rebind.example:${forbidden.port}/`;
  const saved = await checkTargetUrl(url, { guard });
  assert.ok(saved.ok);
  for (const answer of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::1'], ['10.0.0.1']]) {
    dns.zone.set('rebind.example', answer);
    const outcome = await deliver(agent, saved.target);
    assert.equal(outcome.kind === 'blocked' && outcome.why, 'not-public', answer.join());
  }
  dns.zone.delete('rebind.example');
  assert.deepEqual(facts(await deliver(agent, saved.target)), { kind: 'unresolved', code: 'ENOTFOUND' });
  assert.equal(forbidden.connections, 0);
});

test('a name is asked for anew for each connection, and a connection once made stays where it was', async () => {
  await using receiver = await startTrialReceiver('127.0.0.2');
  await using dns = await startTrialDns({ 'moves.example': ['127.0.0.2'] });
  using agent = makeAgent({}, { allowed: networkSet(['127.0.0.2']), resolve: dnsResolver(dns.resolver) });
  const url = `http://moves.example:${receiver.port}/`;
  assert.equal((await attempt(agent, url)).kind, 'answered');
  dns.zone.set('moves.example', ['127.0.0.1']);
  // Connection: close ends it, so that the next attempt dials.
  receiver.serve = (socket) => socket.end(reply(200, '', { Connection: 'close' }));
  assert.deepEqual(facts(await attempt(agent, url)), { kind: 'answered', status: 200, address: '127.0.0.2' });
  const outcome = await attempt(agent, url);
  assert.deepEqual(facts(outcome), { kind: 'blocked', why: 'not-public', address: '127.0.0.1' });
  assert.equal(receiver.connections, 1);
});

test('our own listener is never dialled, though its network is admitted', async () => {
  await using own = await startTrialReceiver();
  await using dns = await startTrialDns({ 'self.example': ['127.0.0.1'] });
  using agent = makeAgent({}, { own: ownEndpoints(() => [own.port]), resolve: dnsResolver(dns.resolver) });
  for (const host of ['127.0.0.1', '127.1.2.3', '[::ffff:127.0.0.1]', 'self.example']) {
    const outcome = await attempt(agent, `http://${host}:${own.port}/`);
    assert.equal(outcome.kind === 'blocked' && outcome.why, 'own-address', host);
  }
  assert.equal(own.connections, 0);
});

test('proxy variables of the environment are ignored', async () => {
  await using proxy = await startTrialReceiver();
  await using receiver = await startTrialReceiver();
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  const before = names.map((name) => [name, process.env[name]] as const);
  try {
    for (const name of names)
      process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`;
    using agent = makeAgent();
    assert.equal((await attempt(agent, `http://127.0.0.1:${receiver.port}/`)).kind, 'answered');
    await attempt(agent, `https://127.0.0.1:${receiver.port}/`, 200);
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  assert.equal(proxy.connections, 0);
});
