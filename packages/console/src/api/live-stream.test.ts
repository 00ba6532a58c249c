import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLiveStream } from './live-stream.ts';

class FakeSource extends EventTarget {
  readyState = 0;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
  }
  close(): void {
    this.readyState = 2;
  }
  opens(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }
  /** The network broke: the browser comes back by itself. */
  breaks(): void {
    this.readyState = 0;
    this.dispatchEvent(new Event('error'));
  }
  /** An answer other than 200: the browser gives up. */
  isRefused(): void {
    this.readyState = 2;
    this.dispatchEvent(new Event('error'));
  }
  tells(kind: string): void {
    this.dispatchEvent(new MessageEvent('change', { data: JSON.stringify({ kind }) }));
  }
}

function openWorld({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] });
  const sources: FakeSource[] = [];
  const told: string[] = [];
  const connection: string[] = [];
  const document = Object.assign(new EventTarget(), { hidden: false });
  const stream = createLiveStream({
    open(url) {
      const source = new FakeSource(url);
      sources.push(source);
      return source as unknown as EventSource;
    },
    document: document as unknown as Document,
    spread: () => 1,
    onChange: (kind) => told.push(kind),
    onMissed: () => told.push('missed'),
    onConnection: (isLost) => connection.push(isLost ? 'lost' : 'regained'),
    onRefused: () => told.push('refused'),
  });
  return {
    stream,
    sources,
    /** The one opened last. */
    latest: () => sources.at(-1) as FakeSource,
    living: () => sources.filter(({ readyState }) => readyState !== 2).map(({ url }) => url),
    /** What was told since the last question. */
    told: () => told.splice(0),
    /** The connection's changes, lost or back, since the last call. */
    connection: () => connection.splice(0),
    show(isShown: boolean) {
      document.hidden = !isShown;
      document.dispatchEvent(new Event('visibilitychange'));
    },
    tick: (ms: number) => mock.timers.tick(ms),
  };
}

test('the first opening misses nothing, each one after it may have', (t) => {
  const { stream, latest, told } = openWorld(t);
  stream.listenTo('/acme');
  latest().opens();
  latest().tells('account');
  assert.deepEqual(told(), ['account']);
  latest().breaks();
  assert.deepEqual(told(), [], 'the browser comes back by itself');
  latest().opens();
  assert.deepEqual(told(), ['missed']);
});

test('an opening that took its time may have missed something', (t) => {
  const { stream, latest, told } = openWorld(t);
  stream.listenTo('/acme');
  latest().breaks();
  latest().opens();
  assert.deepEqual(told(), ['missed']);
});

test('after a refusal it asks who one is, and comes back after pauses that double up to a minute', (t) => {
  const { stream, sources, latest, told, tick } = openWorld(t);
  stream.listenTo('/acme');
  for (const pause of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const before = sources.length;
    latest().isRefused();
    assert.deepEqual(told(), ['refused']);
    tick(pause * 1_000 - 1);
    assert.equal(sources.length, before, `not before ${pause} s`);
    tick(1);
    assert.equal(sources.length, before + 1, `after ${pause} s`);
  }
  latest().opens();
  assert.deepEqual(told(), ['missed']);
  latest().isRefused();
  tick(1_000);
  latest().opens();
  assert.deepEqual(told(), ['refused', 'missed'], 'once open the pauses begin anew');
});

test('a connection that stays away is told as lost, once, and as regained', (t) => {
  const { stream, latest, connection, tick } = openWorld(t);
  stream.listenTo('/acme');
  latest().opens();
  latest().breaks();
  tick(1_999);
  assert.deepEqual(connection(), [], 'it may come back at once');
  latest().breaks();
  tick(1);
  assert.deepEqual(connection(), ['lost']);
  latest().isRefused();
  tick(60_000);
  assert.deepEqual(connection(), [], 'nobody is told twice');
  latest().opens();
  assert.deepEqual(connection(), ['regained']);
  latest().breaks();
  tick(1_000);
  latest().opens();
  tick(60_000);
  assert.deepEqual(connection(), [], 'a short break is nobody’s concern');
});

test('where nobody listens nothing is lost', (t) => {
  const { stream, latest, connection, show, tick } = openWorld(t);
  stream.listenTo('/acme');
  latest().breaks();
  show(false);
  tick(60_000);
  assert.deepEqual(connection(), []);
  show(true);
  latest().breaks();
  tick(2_000);
  stream.listenTo(undefined);
  assert.deepEqual(connection(), ['lost', 'regained']);
  stream.listenTo('/other');
  latest().breaks();
  stream.end();
  tick(60_000);
  assert.deepEqual(connection(), []);
});

test('the stream of another organization takes the place of the one before', (t) => {
  const { stream, sources, latest, living, told } = openWorld(t);
  stream.listenTo('/acme');
  latest().opens();
  stream.listenTo('/acme');
  stream.listenTo('/other');
  assert.deepEqual(living(), ['/other']);
  sources[0]?.tells('account');
  assert.deepEqual(told(), [], 'the former one is heard no more');
  latest().opens();
  assert.deepEqual(told(), ['missed']);
  stream.listenTo(undefined);
  assert.deepEqual(living(), []);
});

test('a page that nobody sees has no stream; seen again it may have missed something', (t) => {
  const { stream, latest, living, told, show, tick } = openWorld(t);
  stream.listenTo('/acme');
  latest().opens();
  show(false);
  assert.deepEqual(living(), []);
  tick(120_000);
  assert.deepEqual(living(), []);
  stream.listenTo('/other');
  assert.deepEqual(living(), []);
  show(true);
  assert.deepEqual(living(), ['/other']);
  latest().opens();
  assert.deepEqual(told(), ['missed']);
  latest().isRefused();
  show(false);
  tick(120_000);
  assert.deepEqual(living(), [], 'nor does it come back meanwhile');
});

test('a page opened out of sight begins when it is seen', (t) => {
  const { stream, latest, living, told, show } = openWorld(t);
  show(false);
  stream.listenTo('/acme');
  assert.deepEqual(living(), []);
  show(true);
  latest().opens();
  assert.deepEqual(told(), ['missed']);
});

test('after the end nothing is open and nothing comes back', (t) => {
  const { stream, latest, living, told, show, tick } = openWorld(t);
  stream.listenTo('/acme');
  latest().isRefused();
  assert.deepEqual(told(), ['refused']);
  stream.end();
  tick(120_000);
  show(false);
  show(true);
  assert.deepEqual(living(), []);
});
