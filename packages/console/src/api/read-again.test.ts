import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { readAgain, readAgainAtOnce } from './read-again.ts';

/** A list of two pages whose readings end when the test says so. */
async function openList(t: TestContext) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  t.after(() => client.clear());
  const waiting: (() => void)[] = [];
  const world = { client, version: 1 };
  const list = new InfiniteQueryObserver(client, {
    queryKey: ['list'],
    initialPageParam: 1,
    getNextPageParam: (_page: string, pages: string[]) => (pages.length < 2 ? pages.length + 1 : undefined),
    queryFn: async ({ pageParam }) => {
      const answer = `page ${pageParam} of version ${world.version}`;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return answer;
    },
  });
  t.after(list.subscribe(() => {}));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const answerOne = async () => {
    await settle();
    waiting.shift()?.();
    await settle();
  };
  const answerAll = async () => {
    do await answerOne();
    while (waiting.length > 0);
  };
  await answerAll();
  return Object.assign(world, {
    list,
    waiting,
    settle,
    answerOne,
    answerAll,
    pages: () => list.getCurrentResult().data?.pages,
  });
}

const both = (version: number) => [`page 1 of version ${version}`, `page 2 of version ${version}`];

for (const [how, read] of Object.entries({ readAgain, readAgainAtOnce })) {
  test(`${how}: more of a list comes although something changes meanwhile, and all of it is read again after that`, async (t) => {
    const world = await openList(t);
    void world.list.fetchNextPage();
    await world.settle();
    world.version = 2;
    const done = read(world.client, { queryKey: ['list'] });
    await world.answerOne();
    assert.deepEqual(world.pages(), both(1));
    await world.answerAll();
    await done;
    assert.deepEqual(world.pages(), both(2));
  });
}

test('more of a list that is asked for while it is read again comes, and the reading is made up for', async (t) => {
  const world = await openList(t);
  world.version = 2;
  const done = readAgain(world.client, { queryKey: ['list'] });
  await world.settle();
  void world.list.fetchNextPage();
  await world.answerAll();
  await done;
  assert.deepEqual(world.pages(), both(2));
});

test('what was being read when something changed is read once more', async (t) => {
  const world = await openList(t);
  void world.list.refetch();
  await world.settle();
  world.version = 2;
  const done = readAgain(world.client, { queryKey: ['list'] });
  await world.answerAll();
  await done;
  assert.deepEqual(world.pages(), ['page 1 of version 2']);
});

test('one’s own change does not wait for what was being read before it', async (t) => {
  const world = await openList(t);
  void world.list.refetch();
  await world.settle();
  world.version = 2;
  const done = readAgainAtOnce(world.client, { queryKey: ['list'] });
  await world.settle();
  world.waiting.shift();
  await world.answerAll();
  await done;
  assert.deepEqual(world.pages(), ['page 1 of version 2']);
});

test('what is refused or not shown is not asked for again and again', async (t) => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  t.after(() => client.clear());
  let asked = 0;
  const queryFn = async () => {
    asked += 1;
    throw new Error('refused');
  };
  t.after(new QueryObserver(client, { queryKey: ['shown'], queryFn }).subscribe(() => {}));
  t.after(new QueryObserver(client, { queryKey: ['off'], queryFn, enabled: false }).subscribe(() => {}));
  await readAgain(client);
  assert.equal(asked, 2, 'the first reading, and one that began after the change');
});
