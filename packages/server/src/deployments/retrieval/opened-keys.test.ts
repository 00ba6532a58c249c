import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createRetrievalBodies, keptForMs } from './opened-keys.ts';
import { type RetrievableVersion, toRetrievableVersion } from './prepared-version.ts';

function versionOf(domain: string, chain = `chain of ${domain}\n`): RetrievableVersion {
  const sealed = { id: domain, organizationId: 'o', certificateId: 'c', sealedKey: Uint8Array.of() };
  return toRetrievableVersion(
    { ...sealed, revoked: false, domains: [domain], chain, notAfter: 1_798_761_600_000 },
    'UTC',
  );
}

/** Time stands still; `turn` ends the turn of the loop. */
function bench(t: TestContext, most?: Parameters<typeof createRetrievalBodies>[1], padding = '') {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const opened: string[] = [];
  const bodies = createRetrievalBodies(({ id }) => {
    opened.push(id);
    return `key of ${id}\n${padding}`;
  }, most);
  return { bodies, opened, pass: (ms: number) => t.mock.timers.tick(ms), turn: () => new Promise(setImmediate) };
}

const one = versionOf('one.example');
const two = versionOf('two.example');
const three = versionOf('three.example');

test('a key that many answers carry is opened once for each form, and again when its time is over', async (t) => {
  const { bodies, opened, pass, turn } = bench(t);
  for (let count = 0; count < 3; count += 1) {
    assert.equal(bodies(one, 'key').text, 'key of one.example\n');
    assert.equal(bodies(one, 'certificate').text, 'chain of one.example\n');
    assert.equal(JSON.parse(bodies(one, 'info').text).data.certificate_info.private_key, 'key of one.example\n');
    await turn();
  }
  assert.deepEqual(opened, ['one.example', 'one.example']);
  pass(keptForMs - 1);
  bodies(two, 'key');
  await turn();
  bodies(one, 'key');
  await turn();
  assert.deepEqual(opened.slice(2), ['two.example']);
  pass(1);
  for (const version of [one, two]) bodies(version, 'key');
  assert.deepEqual(opened.slice(3), ['one.example', 'two.example'], 'one end for all, counted from the first');
  await turn();
  pass(keptForMs);
  bodies(one, 'key');
  assert.equal(opened.length, 6, 'and the next time ends as well');
});

test('answers of one turn share a text', async (t) => {
  const { bodies, turn } = bench(t);
  const first = bodies(one, 'key');
  assert.equal(bodies(one, 'key'), first);
  assert.notEqual(bodies(one, 'info').text, first.text);
  await turn();
  const second = bodies(one, 'key');
  assert.notEqual(second, first);
  assert.deepEqual(second, first);
});

test('a version that has changed is another one', (t) => {
  const { bodies, opened } = bench(t);
  bodies(versionOf('one.example'), 'key');
  bodies(versionOf('one.example'), 'key');
  assert.equal(opened.length, 2);
});

test('no more keys are kept than may be, by number and by size', (t) => {
  for (const most of [
    { keys: 2, bytes: 1_000_000 },
    { keys: 100, bytes: 700 },
  ]) {
    const { bodies, opened } = bench(t, most, 'x'.repeat(300));
    for (const version of [one, two, one, two]) bodies(version, 'key');
    assert.equal(opened.length, 2);
    for (const version of [three, one, three]) bodies(version, 'key');
    assert.deepEqual(opened.slice(2), ['three.example', 'one.example'], 'the third pushed out both others');
    t.mock.timers.reset();
  }
  const { bodies, opened, turn } = bench(t, { keys: 100, bytes: 200 }, 'x'.repeat(300));
  bodies(one, 'key');
  return turn().then(() => {
    bodies(one, 'key');
    assert.equal(opened.length, 2, 'larger than all the room there is');
  });
});

test('the body is the whole answer and its length that of the bytes, whatever is not ASCII in it', async (t) => {
  const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
  for (const [domain, issuer, padding] of [
    ['one.example', 'issuer', 'key'],
    ['bücher.example', 'issuer', 'key'],
    ['one.example', 'issuer €', 'key'],
    ['one.example', 'issuer', 'kéy'],
  ] as const) {
    const { bodies, turn } = bench(t, undefined, padding);
    const chain = pem('leaf') + pem(issuer);
    const version = versionOf(domain, chain);
    const made = bodies(version, 'info');
    const info = JSON.parse(made.text).data.certificate_info;
    assert.deepEqual([info.domains, info.certificate], [[domain], chain]);
    assert.equal(made.bytes, Buffer.from(made.text).length);
    await turn();
    assert.deepEqual(bodies(version, 'info'), made);
    t.mock.timers.reset();
  }
});

test('a key that does not open is an error each time', () => {
  const bodies = createRetrievalBodies(() => {
    throw new Error('sealed');
  });
  for (let count = 0; count < 2; count += 1) assert.throws(() => bodies(one, 'info'), /sealed/);
});
