import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Guesser } from '../factors/sign-in-limit.ts';
import { clientAt, refused } from '../people-world.testing.ts';
import { createAnonymousWork } from './anonymous-work.ts';

const stranger: Guesser = { kind: 'stranger', account: 'a', address: 'x' };
const cookie = 'A'.repeat(43);
const address = (n: number) => `192.0.2.${n}`;

/** Begins so many pieces of work that go on until they are let end, each from another address. */
function begin(bound: ReturnType<typeof createAnonymousWork>, pieces: number, from = address) {
  const end = Promise.withResolvers<void>();
  const running = Array.from({ length: pieces }, (_, n) => bound.forStranger(clientAt(from(n)), () => end.promise));
  return {
    async end() {
      end.resolve();
      await Promise.all(running);
    },
  };
}

test('two strangers at once are worked for, fourteen wait, and the next one is refused without having begun', async () => {
  const bound = createAnonymousWork();
  let begun = 0;
  const end = Promise.withResolvers<void>();
  const work = () => {
    begun += 1;
    return end.promise;
  };
  const look = async () => {
    begun += 1;
    return { guesser: stranger };
  };
  const running = Array.from({ length: 16 }, (_, n) => bound.forStranger(clientAt(address(n)), work));
  await assert.rejects(bound.forStranger(clientAt(address(99)), work), refused('too_many_requests'));
  await assert.rejects(bound.forBrowser(clientAt(address(99)), look, work), refused('too_many_requests'));
  assert.equal(begun, 2);
  end.resolve();
  await Promise.all(running);
  assert.equal(begun, 16);
  await bound.forStranger(clientAt(address(99)), work);
  assert.equal(begun, 17);
});

test('an address has a share of the places to wait, and an IPv6 customer one for the whole network', async () => {
  for (const from of [() => '192.0.2.7', (n: number) => `2001:db8::${n}`]) {
    const bound = createAnonymousWork();
    const end = Promise.withResolvers<void>();
    const order: string[] = [];
    const running = Array.from({ length: 6 }, (_, n) =>
      bound.forStranger(clientAt(from(n)), async () => {
        order.push('greedy');
        await end.promise;
      }),
    );
    await assert.rejects(
      bound.forStranger(clientAt(from(9)), async () => {}),
      refused('too_many_requests'),
    );
    const other = bound.forStranger(clientAt('198.51.100.1'), async () => void order.push('other'));
    end.resolve();
    await Promise.all([...running, other]);
    assert.ok(order.indexOf('other') < 4, 'addresses take turns');
  }
});

test('work that fails gives its place back', async () => {
  const bound = createAnonymousWork();
  for (let n = 0; n < 40; n += 1) {
    await assert.rejects(
      bound.forStranger(clientAt('192.0.2.1'), () => Promise.reject(new Error('wrong'))),
      /wrong/,
    );
  }
});

test('a familiar browser has its way while strangers take all their places, and while others pretend to be familiar', async () => {
  const bound = createAnonymousWork();
  const { end } = begin(bound, 16);
  const looked = Promise.withResolvers<void>();
  const pretenders = Array.from({ length: 200 }, (_, n) =>
    bound.forBrowser(
      clientAt(address(n), cookie),
      async () => {
        await looked.promise;
        return { guesser: stranger };
      },
      async () => assert.fail('nobody has made room'),
    ),
  );
  const familiar: Guesser = { kind: 'familiar', account: 'a', device: 'd' };
  const own = bound.forBrowser(
    clientAt('192.0.2.250', cookie),
    async () => ({ guesser: familiar }),
    async () => 'signed in',
  );
  const refusals = Promise.allSettled(pretenders);
  looked.resolve();
  assert.equal(await own, 'signed in');
  for (const { status } of await refusals) assert.equal(status, 'rejected');
  await end();
});

test('who holds a step or a link waits among their like, and a provider that is slow holds up nobody else', async () => {
  const bound = createAnonymousWork();
  const end = Promise.withResolvers<string>();
  const strangers = begin(bound, 16);
  const atProvider = Array.from({ length: 16 }, (_, n) => bound.forProvider(clientAt(address(n)), () => end.promise));
  await assert.rejects(
    bound.forProvider(clientAt(address(99)), async () => 'in'),
    refused('too_many_requests'),
  );
  await assert.rejects(
    bound.forStranger(clientAt(address(99)), async () => 'in'),
    refused('too_many_requests'),
  );
  const held = await bound.forHolder(
    clientAt(address(99)),
    async () => ({ held: 'step' }),
    async () => 'in',
  );
  assert.equal(held, 'in');
  await strangers.end();
  assert.equal(await bound.forStranger(clientAt(address(99)), async () => 'in'), 'in', 'the provider still waits');
  end.resolve('');
  await Promise.all(atProvider);
});
