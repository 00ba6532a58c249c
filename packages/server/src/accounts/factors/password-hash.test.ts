import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../runtime/problem.ts';
import { createPasswordHasher, standardParameters } from './password-hash.ts';

const quick = { memory: 8, passes: 1, parallelism: 1 };

test('a hash names its algorithm and parameters, and holds another salt each time', async () => {
  const hasher = createPasswordHasher({ parameters: quick });
  const [one, other] = [await hasher.hash('unrelated words'), await hasher.hash('unrelated words')];
  assert.match(one, /^\$argon2id\$v=19\$m=8,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, other);
  assert.equal(await hasher.verify('unrelated words', one), true);
  assert.equal(await hasher.verify('unrelated word', one), false);
});

test('hashes are those of the reference implementation (its test.c, argon2id version 19)', async () => {
  const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  const hasher = createPasswordHasher();
  assert.equal(await hasher.verify('password', reference), true);
  assert.equal(await hasher.verify('passwore', reference), false);
});

test('a hash that is made now has the standard parameters', async () => {
  const hasher = createPasswordHasher();
  const made = await hasher.hash('unrelated words');
  assert.match(made, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(hasher.isOutdated(made), false);
  assert.deepEqual(standardParameters, { memory: 19_456, passes: 2, parallelism: 1 });
});

test('a hash of former parameters still verifies, and is known to be outdated', async () => {
  const former = await createPasswordHasher({ parameters: quick }).hash('unrelated words');
  const hasher = createPasswordHasher({ parameters: { ...quick, passes: 2 } });
  assert.equal(await hasher.verify('unrelated words', former), true);
  assert.equal(hasher.isOutdated(former), true);
});

test('the same letters composed otherwise are the same password', async () => {
  const hasher = createPasswordHasher({ parameters: quick });
  assert.equal(await hasher.verify('Mu\u0308ller und Mu\u0308he', await hasher.hash('Müller und Mühe')), true);
});

test('without a hash to compare with it computes one all the same, and answers no', async () => {
  let computed = 0;
  const hasher = createPasswordHasher({ parameters: quick, concurrency: 1 });
  const verdict = hasher.verify('', null).finally(() => computed++);
  assert.equal(hasher.busy, 1);
  assert.equal(await verdict, false);
  assert.deepEqual([computed, hasher.busy], [1, 0]);
});

test('people who are known go before strangers, and find a place when strangers have taken all of theirs', async () => {
  const hasher = createPasswordHasher({ parameters: quick, concurrency: 1, waiting: 2 });
  const done: string[] = [];
  const compute = (name: string, caller: 'known' | 'stranger') =>
    hasher.verify('x', null, caller).then(() => void done.push(name));
  const flood = [1, 2, 3].map((n) => compute(`stranger ${n}`, 'stranger'));
  await assert.rejects(hasher.verify('x', null, 'stranger'), Problem);
  const known = [compute('known 1', 'known'), compute('known 2', 'known')];
  await assert.rejects(hasher.verify('x', null, 'known'), Problem, 'bounded as well');
  await Promise.all([...flood, ...known]);
  assert.deepEqual(done, ['stranger 1', 'known 1', 'known 2', 'stranger 2', 'stranger 3']);
});

test('so many compute, so many wait, and the next one is told to come again', async () => {
  const hasher = createPasswordHasher({ parameters: quick, concurrency: 2, waiting: 3 });
  const working = Array.from({ length: 5 }, () => hasher.hash('unrelated words'));
  assert.equal(hasher.busy, 5);
  await assert.rejects(hasher.verify('x', null, 'known'), (error) => {
    assert.ok(error instanceof Problem);
    assert.deepEqual([error.code, error.retryAfterSeconds], ['service_unavailable', 2]);
    return true;
  });
  assert.equal((await Promise.all(working)).length, 5);
  assert.equal(hasher.busy, 0);
  assert.match(await hasher.hash('unrelated words'), /^\$argon2id/);
});
