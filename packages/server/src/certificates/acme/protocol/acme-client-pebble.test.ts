import assert from 'node:assert/strict';
import { randomBytes, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { certificateRequest } from '@waxwing/pki/certificate-request.ts';
import { readPem } from '@waxwing/pki/der/pem.ts';
import { generateKey } from '@waxwing/pki/generate-key.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { type AccountKeyKind, accountKeyKinds, generateAccountKey } from './account-key.ts';
import { createAcmeClient } from './acme-client.ts';
import { AcmeExchange } from './acme-exchange.ts';
import type { AcmeAccount, AcmeAnswer, AcmeClient, AcmeFailure, AcmeIdentifier } from './acme-port.ts';
import { type Pebble, startPebble, withoutPebble } from './pebble.testing.ts';

const signal = AbortSignal.timeout(120_000);
const skip = withoutPebble;

const clientOf = ({ directoryUrl, rootPem }: Pebble) =>
  createAcmeClient({ directoryUrl, extraRoots: rootPem, userAgent: 'waxwing-test', clock: systemClock });

/** Pebble refuses three nonces of ten, so now and then four in a row. As those who call do, asks again then. */
async function settle<T>(ask: () => Promise<AcmeAnswer<T>>): Promise<AcmeAnswer<T>> {
  for (;;) {
    const answer = await ask();
    if (answer.kind === 'done' || answer.type !== 'badNonce') return answer;
    assert.ok(answer.temporary);
  }
}

async function succeed<T>(ask: () => Promise<AcmeAnswer<T>>): Promise<T> {
  const answer = await settle(ask);
  if (answer.kind === 'failed') throw new Error(`${answer.type}: ${answer.words}`);
  return answer;
}

async function fail(ask: () => Promise<AcmeAnswer<unknown>>): Promise<AcmeFailure> {
  const answer = await settle(ask);
  assert.ok(answer.kind === 'failed');
  return answer;
}

async function newAccount(client: AcmeClient, kind: AccountKeyKind = 'ec256') {
  const key = await generateAccountKey(kind);
  const { url, ordersUrl } = await succeed(() => client.register(key, { email: 'a@example.com' }, signal));
  return { key, url, ordersUrl };
}

/** From an order to the chain, with validation left out by Pebble. */
async function obtain(client: AcmeClient, account: AcmeAccount, identifiers: readonly AcmeIdentifier[]) {
  const placed = await succeed(() => client.placeOrder(account, { identifiers }, signal));
  for (const url of placed.order.authorizations) {
    const { authorization } = await succeed(() => client.readAuthorization(account, url, signal));
    const challenge = authorization.challenges[0];
    assert.ok(challenge !== undefined && challenge.token !== '');
    if (authorization.status === 'pending') await succeed(() => client.offerChallenge(account, challenge.url, signal));
  }
  const readUntil = async (status: string) => {
    for (;;) {
      const { order } = await succeed(() => client.readOrder(account, placed.url, signal));
      if (order.status === status) return order;
      assert.ok(['pending', 'ready', 'processing'].includes(order.status), `${order.status}: ${order.error?.words}`);
    }
  };
  const ready = await readUntil('ready');
  const key = await generateKey('ec256');
  const csr = await certificateRequest(
    key,
    identifiers.map(({ value }) => value),
  );
  await succeed(() => client.finalize(account, ready.finalize, csr, signal));
  const certificateUrl = (await readUntil('valid')).certificate ?? '';
  const downloaded = await succeed(() => client.download(account, certificateUrl, signal));
  return { key, orderUrl: placed.url, ...downloaded };
}

test('with Pebble, which refuses three nonces of ten', { skip, timeout: 120_000 }, async (t) => {
  await using pebble = await startPebble({ alwaysValid: true, alternateRoots: 2 });
  await using client = clientOf(pebble);
  await using management = new AcmeExchange({ userAgent: 'waxwing-test', extraRoots: pebble.rootPem });

  await t.test('the directory tells what the authority can do', async () => {
    const directory = await succeed(() => client.directory(signal));
    assert.equal(directory.hasRenewalInfo, false);
    assert.equal(directory.needsExternalAccount, false);
    assert.match(directory.termsOfService ?? '', /^data:/);
  });

  for (const kind of accountKeyKinds) {
    await t.test(`an account with a key of kind ${kind} is made once, and found afterwards`, async () => {
      const key = await generateAccountKey(kind);
      const made = await succeed(() => client.register(key, { email: 'a@example.com' }, signal));
      const found = await succeed(() => client.register(key, { email: 'a@example.com' }, signal));
      assert.deepEqual([made.existed, found.existed, found.url], [false, true, made.url]);
    });
  }

  await t.test('a certificate is issued for names and addresses, with two more chains to choose from', async () => {
    const account = await newAccount(client);
    const identifiers = [
      { type: 'dns', value: 'www.example.com' },
      { type: 'dns', value: '*.example.com' },
      { type: 'ip', value: '192.0.2.7' },
    ] as const;
    const { key, pem, alternates } = await obtain(client, account, identifiers);
    const [leaf, issuer] = readPem(pem).blocks.map(({ bytes }) => new X509Certificate(bytes));
    assert.ok(leaf !== undefined && issuer !== undefined && leaf.verify(issuer.publicKey) && leaf.checkPrivateKey(key));
    assert.equal(leaf.subjectAltName, 'DNS:www.example.com, DNS:*.example.com, IP Address:192.0.2.7');
    assert.equal(alternates.length, 2);
    const other = await succeed(() => client.download(account, alternates[0] ?? '', signal));
    const [sameKey, otherIssuer] = readPem(other.pem).blocks.map(({ bytes }) => new X509Certificate(bytes));
    assert.ok(sameKey?.checkPrivateKey(key) && otherIssuer?.fingerprint !== issuer.fingerprint);
  });

  await t.test('orders are listed over several pages', async () => {
    const account = await newAccount(client);
    const placed: string[] = [];
    for (let i = 0; i < 7; i++) {
      const identifiers = [{ type: 'dns', value: `n${i}.example.com` }] as const;
      placed.push((await succeed(() => client.placeOrder(account, { identifiers }, signal))).url);
    }
    const { urls } = await succeed(() => client.listOrders(account, account.ordersUrl ?? '', signal));
    assert.deepEqual([...urls].sort(), placed.sort());
  });

  for (const by of ['its account', 'its own key'] as const) {
    await t.test(`a certificate is revoked by ${by}, once`, async () => {
      const account = await newAccount(client, 'rsa2048');
      const { key, pem } = await obtain(client, account, [{ type: 'dns', value: 'revoked.example.com' }]);
      const leaf = new X509Certificate(pem);
      const signer = by === 'its account' ? account : { key };
      await succeed(() => client.revoke(signer, leaf.raw, signal));
      const url = `${pebble.managementUrl}/cert-status-by-serial/${leaf.serialNumber.toLowerCase()}`;
      const shown = await management.send(url, { method: 'GET' }, signal);
      assert.ok(shown.kind === 'answered' && JSON.parse(shown.body.toString()).Status === 'Revoked');
      assert.equal((await fail(() => client.revoke(signer, leaf.raw, signal))).type, 'alreadyRevoked');
    });
  }

  await t.test('after a change of its key the account answers to the new one alone', async () => {
    const account = await newAccount(client);
    const newKey = await generateAccountKey('ec384');
    assert.equal((await succeed(() => client.findAccount(account.key, signal))).url, account.url);
    assert.equal((await fail(() => client.findAccount(newKey, signal))).type, 'accountDoesNotExist');
    await succeed(() => client.setContact(account, 'b@example.com', signal));
    await succeed(() => client.changeKey(account, newKey, signal));
    const request = { identifiers: [{ type: 'dns', value: 'a.example.com' }] } as const;
    await succeed(() => client.placeOrder({ ...account, key: newKey }, request, signal));
    const refused = await fail(() => client.placeOrder(account, request, signal));
    assert.deepEqual([refused.type, refused.temporary], ['malformed', false]);
    const found = await succeed(() => client.register(newKey, { email: 'a@example.com' }, signal));
    assert.deepEqual([found.existed, found.url], [true, account.url]);
  });

  await t.test('a refusal comes with the words of the authority', async () => {
    const account = await newAccount(client);
    const identifiers = [{ type: 'dns', value: 'not a name' }] as const;
    const refused = await fail(() => client.placeOrder(account, { identifiers }, signal));
    assert.equal(refused.type, 'malformed');
    assert.match(refused.words, /DNS/);
    const unknown = { key: await generateAccountKey('ec256'), url: `${account.url}0` };
    const stranger = await fail(() => client.placeOrder(unknown, { identifiers }, signal));
    assert.equal(stranger.type, 'accountDoesNotExist');
  });
});

test('an authority with customers of its own takes accounts that one of them vouches for', {
  skip,
  timeout: 60_000,
}, async () => {
  const hmacKey = randomBytes(32);
  await using pebble = await startPebble({ externalAccounts: { 'kid-1': hmacKey.toString('base64url') } });
  await using client = clientOf(pebble);
  assert.equal((await succeed(() => client.directory(signal))).needsExternalAccount, true);
  const key = await generateAccountKey('ec256');
  const register = (externalAccount?: { kid: string; hmacKey: Uint8Array }) => () =>
    client.register(key, { email: 'a@example.com', ...(externalAccount && { externalAccount }) }, signal);
  assert.equal((await fail(register())).type, 'externalAccountRequired');
  assert.equal((await fail(register({ kid: 'kid-1', hmacKey: randomBytes(32) }))).temporary, false);
  assert.equal((await fail(register({ kid: 'kid-2', hmacKey }))).temporary, false);
  assert.equal((await succeed(register({ kid: 'kid-1', hmacKey }))).existed, false);
});

test('an authority whose root is not trusted is not talked to', { skip, timeout: 60_000 }, async () => {
  await using pebble = await startPebble();
  await using client = createAcmeClient({
    directoryUrl: pebble.directoryUrl,
    userAgent: 'waxwing-test',
    clock: systemClock,
  });
  const answer = await client.directory(signal);
  assert.ok(answer.kind === 'failed' && answer.temporary);
  assert.match(answer.words, /certificate/);
});
