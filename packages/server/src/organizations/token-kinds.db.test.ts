import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Application } from '../compose.ts';
import { inBothWorlds, refusal, type TestServer } from '../deployments/retrieval/retrieval-world.testing.ts';
import type { ProblemCode } from '../runtime/problem.ts';
import type { HolderUpdate } from './token-holder.ts';

interface Holder {
  /** With its token. */
  readonly bearer: string;
  update(update: HolderUpdate, by?: Application): Promise<unknown>;
  delete(): Promise<unknown>;
}

type Code = Extract<ProblemCode, 'invalid_token' | 'token_not_permitted'>;

/** In this order, on one holder. Times are long past, or never. */
const changes: readonly (readonly [what: string, update: HolderUpdate, code: Code])[] = [
  ['disabled', { enabled: false }, 'invalid_token'],
  ['enabled', { enabled: true }, 'token_not_permitted'],
  ['expired', { expiresAt: 1 }, 'invalid_token'],
  ['expired and disabled', { enabled: false }, 'invalid_token'],
  ['disabled, but no longer expired', { expiresAt: null }, 'invalid_token'],
  ['valid again', { enabled: true }, 'token_not_permitted'],
];

const kinds = ['deployment', 'messaging', 'management'] as const;

/** Interfaces that accept one kind of token. */
const interfaces = [
  { target: 'GET /api/certificate', takes: 'deployment' },
  { target: 'GET /api/download?type=key', takes: 'deployment' },
  { target: 'GET /api/messages/events', takes: 'messaging' },
  { target: 'GET /api/messages/some-batch', takes: 'messaging' },
] as const;

const cases = interfaces.flatMap(({ target, takes }) =>
  kinds.filter((kind) => kind !== takes).map((kind) => ({ target, kind })),
);

/** Another server obeys a change within this time (contract §1, "Revocation is never stale"). */
const deadlineMs = 1_000;

inBothWorlds('a token where those of another kind are taken', (world) => {
  let server: TestServer;

  before(async () => {
    server = await world().serve();
  });

  async function makeHolder(kind: (typeof kinds)[number]): Promise<Holder> {
    if (kind !== 'deployment') return world().makeKey(kind);
    const { application } = world();
    const { id, bearer } = await world().deploy((await world().importLeaf({ domains: ['kinds.example'] })).id);
    return {
      bearer,
      update: (update, by = application) => by.deployments.update('test', id, update),
      delete: () => application.deployments.delete('test', id),
    };
  }

  for (const { target, kind } of cases) {
    const ask = async ({ bearer }: Holder) => (await server.ask(target, bearer)).text;
    const answer = (code: Code) => refusal(code, world().clock);

    test(`${kind} at ${target}: is unpermitted while it is valid, else invalid, by the very next request`, async () => {
      const holder = await makeHolder(kind);
      assert.equal(await ask(holder), answer('token_not_permitted'));
      for (const [what, update, code] of changes) {
        await holder.update(update);
        assert.equal(await ask(holder), answer(code), what);
      }
      await holder.delete();
      assert.equal(await ask(holder), answer('invalid_token'), 'deleted');
    });

    test(`${kind} at ${target}: is invalid also where it is asked with only then`, async () => {
      for (const update of [{ enabled: false }, { expiresAt: world().clock.now() }]) {
        const holder = await makeHolder(kind);
        await holder.update(update);
        assert.equal(await ask(holder), answer('invalid_token'));
      }
    });

    test(`${kind} at ${target}: ends at the moment that its holder ends, though it is remembered`, async () => {
      const holder = await makeHolder(kind);
      await holder.update({ expiresAt: world().clock.now() + 10_000 });
      assert.equal(await ask(holder), answer('token_not_permitted'));
      world().clock.advance(10_000);
      await world().application.feed.sync();
      assert.equal(await ask(holder), answer('invalid_token'));
    });
  }

  test('what another node changes of its holder is obeyed within a second', async () => {
    const node = await world().openNode();
    for (const { target, kind } of cases) {
      const holder = await makeHolder(kind);
      const ask = async () => (await server.ask(target, holder.bearer)).text;
      assert.equal(await ask(), refusal('token_not_permitted', world().clock));
      for (const [what, update, code] of changes.slice(0, 2)) {
        await holder.update(update, node);
        const changedAt = performance.now();
        const expected = refusal(code, world().clock);
        while ((await ask()) !== expected && performance.now() - changedAt < deadlineMs);
        assert.equal(await ask(), expected, `${kind} at ${target}: ${what}`);
      }
    }
  });
});
