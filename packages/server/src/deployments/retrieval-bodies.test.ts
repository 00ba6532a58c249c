import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createErasableTexts } from '../secrets/erasable-texts.ts';
import { bodiesKeptMs, createRetrievalBodies } from './retrieval-bodies.ts';
import { type RetrievableVersion, toRetrievableVersion } from './retrieval-version.ts';
import { createSharedIssuers } from './shared-issuers.ts';

const shareIssuers = createSharedIssuers();

function versionOf(domain: string, chain = `chain of ${domain}\n`): RetrievableVersion {
  const sealed = { id: domain, organizationId: 'o', certificateId: 'c', sealedKey: Uint8Array.of() };
  return toRetrievableVersion(
    { ...sealed, revoked: false, domains: [domain], chain, notAfter: 1_798_761_600_000 },
    { timeZone: 'UTC', shareIssuers },
  );
}

function bench(padding = '') {
  const opened: string[] = [];
  const ends: { ms: number; run: () => void }[] = [];
  const turns: (() => void)[] = [];
  const bodies = createRetrievalBodies({
    open({ id }) {
      opened.push(id);
      return `key of ${id}\n${padding}`;
    },
    schedule: (ms, run) => ends.push({ ms, run }),
    texts: createErasableTexts(2 ** 20),
    atEndOfTurn: (run) => turns.push(run),
  });
  return { bodies, opened, ends, turns };
}

test('a key that many answers carry is opened once for each form, and again when its time is over', () => {
  const { bodies, opened, ends, turns } = bench();
  const [one, other] = [versionOf('one.example'), versionOf('other.example')];
  for (let count = 0; count < 3; count += 1) {
    assert.equal(bodies(one, 'key').text, 'key of one.example\n');
    assert.equal(bodies(one, 'certificate').text, 'chain of one.example\n');
    assert.equal(JSON.parse(bodies(one, 'info').text).data.certificate_info.private_key, 'key of one.example\n');
    assert.equal(bodies(other, 'key').text, 'key of other.example\n');
  }
  assert.deepEqual(opened, ['one.example', 'one.example', 'other.example']);
  assert.deepEqual(
    ends.map(({ ms }) => ms),
    [bodiesKeptMs],
    'one end for all, counted from the first of them',
  );
  turns.pop()?.();
  ends.pop()?.run();
  bodies(one, 'key');
  assert.deepEqual(opened.slice(3), ['one.example'], 'nothing was kept beyond it');
  assert.equal(ends.length, 1, 'and the next one ends again');
});

test('those of one turn share a text; the next turn reads it anew', () => {
  const { bodies, opened, turns } = bench();
  const version = versionOf('one.example');
  const first = bodies(version, 'key');
  assert.equal(bodies(version, 'key'), first);
  assert.notEqual(bodies(version, 'info'), first);
  assert.equal(turns.length, 1);
  turns.pop()?.();
  const second = bodies(version, 'key');
  assert.notEqual(second, first);
  assert.deepEqual(second, first);
  assert.equal(turns.length, 1);
  assert.equal(opened.length, 2, 'once for each form');
});

test('a version that has changed is another one', () => {
  const { bodies, opened } = bench();
  bodies(versionOf('one.example'), 'key');
  bodies(versionOf('one.example'), 'key');
  assert.equal(opened.length, 2);
});

test('no more bytes are kept than may be; what has no place in them pushes out all others', () => {
  const { bodies, opened, ends } = bench('x'.repeat(300_000));
  const versions = [1, 2, 3, 4].map((number) => versionOf(`${number}.example`));
  for (const version of [...versions.slice(0, 3), ...versions.slice(0, 3)]) bodies(version, 'key');
  assert.equal(opened.length, 3);
  for (const version of [...versions.slice(3), ...versions.slice(3), ...versions.slice(0, 1)]) bodies(version, 'key');
  assert.deepEqual(opened.slice(3), ['4.example', '1.example']);
  assert.equal(ends.length, 1);
});

test('nor more than so many, whose versions would stay in memory as long', () => {
  const opened: string[] = [];
  const bodies = createRetrievalBodies({
    open({ id }) {
      opened.push(id);
      return id;
    },
    schedule: () => {},
    mostKept: 3,
    atEndOfTurn: () => {},
  });
  const [one, two, three] = [versionOf('one.example'), versionOf('two.example'), versionOf('three.example')];
  for (let count = 0; count < 2; count += 1) {
    bodies(one, 'key');
    bodies(one, 'info');
    bodies(two, 'key');
  }
  assert.deepEqual(opened, ['one.example', 'one.example', 'two.example']);
  for (const version of [three, one, three]) bodies(version, 'key');
  assert.deepEqual(opened.slice(3), ['three.example', 'one.example']);
});

test('what is larger than all the room there is, is made anew each time', () => {
  const { bodies, opened, turns } = bench('x'.repeat(2 ** 20));
  const version = versionOf('one.example');
  for (let count = 1; count <= 3; count += 1) {
    assert.equal(bodies(version, 'key').bytes, 2 ** 20 + 'key of one.example\n'.length);
    assert.equal(opened.length, count);
    turns.pop()?.();
  }
});

test('by itself it forgets after some seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  let opened = 0;
  const version = versionOf('one.example');
  const bodies = createRetrievalBodies({
    open() {
      opened += 1;
      return `key ${opened}`;
    },
  });
  assert.equal(bodies(version, 'key').text, 'key 1');
  await turn();
  t.mock.timers.tick(bodiesKeptMs - 1);
  assert.equal(bodies(version, 'key').text, 'key 1');
  await turn();
  t.mock.timers.tick(1);
  assert.equal(bodies(version, 'key').text, 'key 2');
});

test('the length is that of the bytes', () => {
  const { bodies, turns } = bench();
  for (const domain of ['bücher.example', 'books.example', `${'long'.repeat(20_000)}.example`]) {
    const version = versionOf(domain);
    const made = bodies(version, 'info');
    assert.equal(made.bytes, Buffer.from(made.text).length);
    assert.equal(made.bytes === made.text.length, domain !== 'bücher.example');
    turns.pop()?.();
    const read = bodies(version, 'info');
    assert.notEqual(read, made);
    assert.deepEqual(read, made);
    turns.pop()?.();
  }
});

test('an answer made of what is kept is the one that was made first, wherever its text is not ASCII', () => {
  const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
  const ascii = ['leaf', 'issuer', 'key'] as const;
  for (const [leaf, issuer, padding] of [
    ascii,
    ['léaf', 'issuer', 'key'],
    ['leaf', 'issüer €', 'key'],
    ['leaf', 'issuer', 'kéy'],
  ] as const) {
    const { bodies, turns } = bench(padding);
    const chain = pem(leaf) + pem(issuer);
    const version = versionOf('one.example', chain);
    const made = bodies(version, 'info');
    assert.equal(JSON.parse(made.text).data.certificate_info.certificate, chain);
    turns.pop()?.();
    assert.deepEqual(bodies(version, 'info'), made);
  }
});

test('a key that does not open is an error each time, and leaves nothing behind', () => {
  const bodies = createRetrievalBodies({
    open() {
      throw new Error('sealed');
    },
    schedule: () => assert.fail('there is nothing to forget'),
  });
  const version = versionOf('one.example');
  for (let count = 0; count < 2; count += 1) assert.throws(() => bodies(version, 'info'), /sealed/);
});
