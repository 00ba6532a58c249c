import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { Problem } from '../../../runtime/problem.ts';
import { deleteCertificate } from '../../certificate-store.ts';
import { type AcmeWorld, openAcmeWorld } from '../acme-world.testing.ts';
import { failure } from '../fake-authority.testing.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** When it may be asked again, as the refusal says. */
async function refusedUntil(asking: Promise<unknown>): Promise<number> {
  const error = await asking.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Problem, 'it was not refused');
  assert.deepEqual([error.code, error.reason], ['conflict', 'ordered_too_often']);
  assert.match(error.message, /Ask again after 20\d\d-/);
  return Date.parse(String(error.parameters.until));
}

/** As `certificate delete` does. */
async function deleteCertificateOf(world: AcmeWorld, id: string): Promise<void> {
  const row = await world.certificate(id);
  await world.database.transaction(async (trx) => {
    await world.issuing.forget(trx, id, world.clock.now());
    await deleteCertificate(trx, row);
  });
}

const placedAt = ({ authority }: AcmeWorld) => [...authority.orders.values()].map((order) => order.placedAt);

onBothDatabases('an order that a person asks for', (open) => {
  test('begins at once after one that failed, up to five within the hour', async (t) => {
    const world = await openAcmeWorld(t, open);
    world.authority.look = async () => false;
    const id = await world.request();
    const first = world.clock.now();
    await world.tick();
    for (let again = 1; again < 5; again += 1) {
      world.advance(minute);
      await world.requests.requestAgain('test', id);
      await world.tick();
      assert.equal(placedAt(world).at(-1), world.clock.now());
    }
    assert.equal((await world.certificate(id)).state, 'failed');
    assert.equal(await refusedUntil(world.requests.requestAgain('test', id)), first + hour);
    assert.equal((await world.certificate(id)).state, 'failed', 'a refusal changes nothing');
    assert.equal(await refusedUntil(world.request()), first + hour, 'another certificate has the same limit');
    world.advance(first + hour - world.clock.now());
    await world.requests.requestAgain('test', id);
    await world.tick();
    assert.equal(placedAt(world).length, 6);
  });

  test('begins at once after one that succeeded, up to three within the hour', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request();
    const first = world.clock.now();
    await world.tick();
    for (const versions of [2, 3]) {
      world.advance(minute);
      await world.requests.renew('test', id);
      await world.tick();
      assert.equal((await world.certificate(id)).versions, versions);
    }
    assert.equal(await refusedUntil(world.requests.renew('test', id)), first + hour);
    assert.equal(await refusedUntil(world.requests.requestAgain('test', id)), first + hour);
    const other = await world.request({ domains: ['www.example.com', 'example.com'] });
    await world.tick();
    assert.equal((await world.certificate(other)).state, 'issued', 'other names have a limit of their own');
    world.advance(first + hour - world.clock.now());
    await world.requests.renew('test', id);
    await world.tick();
    assert.equal((await world.certificate(id)).versions, 4);
  });

  test('is counted where the certificate was deleted meanwhile, and its row goes after the hour', async (t) => {
    const world = await openAcmeWorld(t, open);
    const first = world.clock.now();
    const id = await world.request();
    await world.tick();
    world.advance(minute);
    await world.requests.renew('test', id);
    await world.tick();
    await deleteCertificateOf(world, id);
    const other = await world.request();
    await world.tick();
    await deleteCertificateOf(world, other);
    assert.equal(await refusedUntil(world.request()), first + hour);
    const orders = await world.database.db.selectFrom('acme_order').selectAll().execute();
    assert.deepEqual(
      orders.map(({ sealed_key, certificate_id }) => [sealed_key, [id, other].includes(certificate_id)]),
      Array(3).fill([null, false]),
    );
    assert.deepEqual([await world.count('acme_step'), await world.count('acme_challenge')], [0, 0]);
    await world.pass(first + hour - world.clock.now());
    assert.equal(await world.count('acme_order'), 2);
    await world.request();
    await world.tick();
    assert.equal(placedAt(world).length, 4);
    await refusedUntil(world.request());
    await world.pass(2 * minute);
    assert.equal(await world.count('acme_order'), 1, 'that of the last certificate');
  });

  test('is counted where the certificate was deleted while it was under way', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { organizationId } = world;
    const first = world.clock.now();
    world.authority.before = (call) => (call === 'offerChallenge' ? failure('Busy.', { temporary: true }) : undefined);
    for (let count = 0; count < 5; count += 1) {
      const id = await world.request();
      await world.tick();
      await deleteCertificateOf(world, id);
      await world.tick();
      world.advance(minute);
    }
    assert.equal(placedAt(world).length, 5);
    assert.equal(await refusedUntil(world.request()), first + hour);
    assert.deepEqual([await world.count('acme_order'), await world.count('acme_step')], [5, 0]);
    await world.organizations.delete('test', organizationId);
    assert.equal(await world.count('acme_order'), 0, 'they go with their organization');
  });

  test('is not counted where the authority refused to take it', async (t) => {
    const world = await openAcmeWorld(t, open);
    world.authority.before = (call) =>
      call === 'placeOrder' ? failure('Too many.', { type: 'rateLimited', retryAfterMs: 3 * hour }) : undefined;
    const id = await world.request();
    await world.tick();
    for (let again = 0; again < 6; again += 1) {
      await world.requests.requestAgain('test', id);
      await world.tick();
    }
    world.authority.before = () => undefined;
    await world.requests.requestAgain('test', id);
    await world.tick();
    assert.equal((await world.certificate(id)).state, 'issued');
  });

  test('of another organization takes nothing from these names', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { id: organizationId } = await world.organizations.create('test', 'Other');
    world.authority.look = async () => false;
    for (let count = 0; count < 5; count += 1) {
      await world.request({ organizationId });
      await world.tick();
    }
    await refusedUntil(world.request({ organizationId }));
    world.authority.look = async () => true;
    const id = await world.request();
    await world.tick();
    assert.equal((await world.certificate(id)).state, 'issued');
  });

  test('follows one that has failed and still removes its records', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { organizationId } = world;
    await world.dnsProviders.create('test', { organizationId, name: 'dns', kind: 'cloudflare' });
    world.authority.look = async () => false;
    world.authority.before = (call) => (call === 'cleanUp' ? failure('Away.', { temporary: true }) : undefined);
    const id = await world.request({ dnsProvider: 'dns' });
    await world.tick();
    assert.equal((await world.certificate(id)).state, 'failed');
    world.authority.look = async () => true;
    world.authority.before = () => undefined;
    await world.requests.requestAgain('test', id);
    await world.pass(minute);
    assert.deepEqual([(await world.certificate(id)).state, world.authority.records.size], ['issued', 0]);
  });

  test('leaves the one alone that is being placed', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { parts } = world.authority;
    const client = await parts.client({ directory: '', rootPem: undefined });
    const placeOrder: typeof client.placeOrder = async (...given) => {
      const answer = await client.placeOrder(...given);
      world.advance(1);
      await world.requests.requestAgain('test', id);
      return answer;
    };
    Object.assign(parts, { client: () => ({ ...client, placeOrder }) });
    const id = await world.request();
    await world.tick();
    assert.deepEqual([(await world.certificate(id)).state, placedAt(world).length], ['issued', 1]);
  });

  test('does not undo what a step that is under way brings', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { parts } = world.authority;
    const client = await parts.client({ directory: '', rootPem: undefined });
    const finalize: typeof client.finalize = async (...given) => {
      const answer = await client.finalize(...given);
      await world.requests.requestAgain('test', id);
      return answer;
    };
    Object.assign(parts, { client: () => ({ ...client, finalize }) });
    const id = await world.request();
    await world.tick();
    assert.equal((await world.certificate(id)).state, 'issued');
  });

  test('is the only one within the hour: a window that is moved to the past orders nothing sooner', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority, clock } = world;
    // Faulty: each version is to be renewed at once.
    Object.assign(authority.parts, { renewalTime: ({ now }: { now: number }) => now });
    authority.window = { start: clock.now() - day, end: clock.now() + day };
    await world.request();
    await world.pass(5 * hour);
    const placed = placedAt(world);
    assert.ok(placed.length >= 5, `${placed.length} orders`);
    for (const [index, at] of placed.entries()) assert.ok(index === 0 || at - (placed[index - 1] ?? 0) >= hour);
  });
});
