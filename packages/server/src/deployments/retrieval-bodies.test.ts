import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRetrievalBodies } from './retrieval-bodies.ts';
import { prepareInfo } from './retrieval-envelope.ts';
import type { RetrievableVersion } from './retrieval-version.ts';

function versionOf(domain: string): RetrievableVersion {
  return {
    id: domain,
    revoked: false,
    sealed: { id: domain, organizationId: 'o', certificateId: 'c', sealedKey: Uint8Array.of() },
    chain: Buffer.from(`chain of ${domain}\n`),
    info: prepareInfo({ domains: [domain], expires_at: '2027-01-01 00:00:00' }),
    tags: { info: '"i"', certificate: '"c"', key: '"k"' },
    downloadName: domain,
  };
}

function bench() {
  const opened: string[] = [];
  const ends: (() => void)[] = [];
  const bodies = createRetrievalBodies(
    ({ id }) => {
      opened.push(id);
      return `key of ${id}\n`;
    },
    (forget) => ends.push(forget),
  );
  return { bodies, opened, ends };
}

test('a key that many answers of a turn carry is opened once for each form, and again in the next turn', () => {
  const { bodies, opened, ends } = bench();
  const [one, other] = [versionOf('one.example'), versionOf('other.example')];
  for (let count = 0; count < 3; count += 1) {
    assert.equal(bodies(one, 'key').text, 'key of one.example\n');
    assert.equal(bodies(one, 'certificate').text, 'chain of one.example\n');
    assert.equal(JSON.parse(bodies(one, 'info').text).data.certificate_info.private_key, 'key of one.example\n');
    assert.equal(bodies(other, 'key').text, 'key of other.example\n');
  }
  assert.deepEqual(opened, ['one.example', 'one.example', 'other.example']);
  assert.equal(ends.length, 1, 'one end of the turn for all');
  ends.pop()?.();
  bodies(one, 'key');
  assert.deepEqual(opened.slice(3), ['one.example'], 'nothing was kept beyond the turn');
  assert.equal(ends.length, 1);
});

test('by itself it forgets with the turn of the loop', async () => {
  let opened = 0;
  const version = versionOf('one.example');
  const bodies = createRetrievalBodies(() => {
    opened += 1;
    return `key ${opened}`;
  });
  assert.equal(bodies(version, 'key').text, 'key 1');
  await Promise.resolve();
  assert.equal(bodies(version, 'key').text, 'key 1');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(bodies(version, 'key').text, 'key 2');
});

test('the length is that of the bytes', () => {
  const { bodies } = bench();
  const { text, bytes } = bodies(versionOf('bücher.example'), 'info');
  assert.equal(bytes, Buffer.from(text).length);
  assert.notEqual(bytes, text.length);
});

test('a key that does not open is an error each time, and leaves nothing behind', () => {
  const bodies = createRetrievalBodies(
    () => {
      throw new Error('sealed');
    },
    () => assert.fail('there is nothing to forget'),
  );
  const version = versionOf('one.example');
  for (let count = 0; count < 2; count += 1) assert.throws(() => bodies(version, 'info'), /sealed/);
});
