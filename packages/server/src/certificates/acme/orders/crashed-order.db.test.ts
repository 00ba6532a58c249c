import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { type AcmeWorld, openAcmeWorld } from '../acme-world.testing.ts';
import type { Call } from '../fake-authority.testing.ts';

const minute = 60_000;
const hour = 60 * minute;

const calls: readonly Call[] = [
  ...(['register', 'placeOrder', 'readOrder', 'readAuthorization', 'present', 'isVisible', 'offerChallenge'] as const),
  ...(['finalize', 'download', 'cleanUp'] as const),
];

/** A worker that dies at a request: nothing that it learns is written. */
async function dieAt(world: AcmeWorld, call: Call, when: 'before' | 'after'): Promise<boolean> {
  const { authority } = world;
  const death = new AbortController();
  let died = false;
  const die = (each: Call) => {
    if (each !== call || died) return undefined;
    died = true;
    death.abort();
    return 'lose' as const;
  };
  authority.before = when === 'before' ? die : () => undefined;
  authority.after = when === 'after' ? die : () => undefined;
  for (let looks = 0; looks < 20 && !died; looks += 1) {
    await world.tick(death.signal);
    world.advance(10_000);
  }
  authority.before = () => undefined;
  authority.after = () => undefined;
  return died;
}

async function requestByDns(world: AcmeWorld): Promise<string> {
  const { organizationId } = world;
  await world.dnsProviders.create('test', { organizationId, name: 'dns', kind: 'cloudflare' });
  return world.request({ dnsProvider: 'dns' });
}

function assertOnce(world: AcmeWorld): void {
  const placed = [...world.authority.orders.values()].map(({ placedAt }) => placedAt);
  for (const [index, at] of placed.entries()) assert.ok(index === 0 || at - (placed[index - 1] ?? 0) >= hour);
  assert.equal(world.authority.accounts.size, 1);
}

onBothDatabases('a worker that dies', (open) => {
  for (const call of calls) {
    for (const when of ['before', 'after'] as const) {
      test(`${when} ${call} took effect: another one goes on, and orders nothing twice`, async (t) => {
        const world = await openAcmeWorld(t, open);
        const id = await requestByDns(world);
        assert.ok(await dieAt(world, call, when), 'it never came so far');
        // One that was not placed is placed again only when the hour is over.
        await world.pass(call === 'placeOrder' && when === 'before' ? hour + minute : 5 * minute);
        const { state, versions } = await world.certificate(id);
        assert.deepEqual([state, versions], ['issued', 1]);
        assert.equal(world.authority.orders.size, 1);
        assertOnce(world);
        assert.deepEqual([world.authority.records.size, await world.count('acme_challenge')], [0, 0]);
      });
    }
  }

  test('where the authority lists no orders, the next one waits for the hour', async (t) => {
    const world = await openAcmeWorld(t, open);
    world.authority.lists = false;
    const id = await requestByDns(world);
    assert.ok(await dieAt(world, 'placeOrder', 'after'));
    await world.requests.requestAgain('test', id);
    await world.pass(50 * minute);
    assert.deepEqual([(await world.certificate(id)).state, world.authority.orders.size], ['pending', 1]);
    await world.pass(20 * minute);
    assert.deepEqual([(await world.certificate(id)).state, world.authority.orders.size], ['issued', 2]);
    assertOnce(world);
  });

  test('an answer that is lost on the way is looked for as well', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await requestByDns(world);
    let losses = 0;
    world.authority.after = (call) => {
      losses += call === 'placeOrder' ? 1 : 0;
      return call === 'placeOrder' && losses === 1 ? 'lose' : undefined;
    };
    await world.pass(5 * minute);
    assert.deepEqual([(await world.certificate(id)).state, world.authority.orders.size], ['issued', 1]);
  });

  for (const [name, others, known] of [
    ['tens of thousands that other services placed', 70_000, 0],
    ['thousands of ours that are listed after it', 0, 2_500],
  ] as const) {
    test(`one whose answer is lost is found beside ${name}`, async (t) => {
      const world = await openAcmeWorld(t, open);
      const id = await requestByDns(world);
      const row = await world.database.db.selectFrom('acme_order').selectAll().executeTakeFirstOrThrow();
      const urls = (kind: string, count: number) =>
        Array.from({ length: count }, (_, n) => `https://ca.test/${kind}/${n}`);
      const ours = urls('ours', known).map((url) => ({ ...row, id: url, certificate_id: url, url, next_at: null }));
      for (let first = 0; first < ours.length; first += 500) {
        await world.database.db
          .insertInto('acme_order')
          .values(ours.slice(first, first + 500))
          .execute();
      }
      const { parts } = world.authority;
      const client = await parts.client({ directory: '', rootPem: undefined });
      const listOrders = async () => {
        const listed = [...urls('other', others), ...world.authority.orders.keys(), ...urls('ours', known)];
        return { kind: 'done', urls: listed } as const;
      };
      Object.assign(parts, { client: () => ({ ...client, listOrders }) });
      assert.ok(await dieAt(world, 'placeOrder', 'after'));
      await world.pass(5 * minute);
      assert.deepEqual([(await world.certificate(id)).state, world.authority.orders.size], ['issued', 1]);
    });
  }

  test('the one that was slow writes nothing once another one has gone on', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request();
    let other: Promise<void> | undefined;
    world.authority.after = (call) => {
      if (call === 'finalize' && other === undefined) other = world.tick();
      return undefined;
    };
    await world.tick();
    await other;
    await world.pass(5 * minute);
    const { state, versions } = await world.certificate(id);
    assert.deepEqual([state, versions, world.authority.orders.size], ['issued', 1, 1]);
  });
});
