import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUniqueViolation } from '../database/database.ts';
import { onBothDatabases } from '../database/testing.ts';
import {
  endOf,
  expireTokens,
  findTokens,
  findTokensFor,
  forgetExpiredTokens,
  listTokens,
  type RegisteredToken,
  registerToken,
  removeTokens,
} from './token-registry.ts';

function token(hash: string, changes: Partial<RegisteredToken> = {}): RegisteredToken {
  return {
    hash,
    kind: 'deployment',
    organizationId: 'o1',
    subjectId: 's1',
    hint: 'wxd_abcd',
    createdAt: 1,
    expiresAt: null,
    ended: false,
    ...changes,
  };
}

onBothDatabases('the token registry', (open) => {
  test('a token is found by its hash alone, those that are unknown are left out', async (t) => {
    const { db } = await open(t);
    const tokens = [token('a'), token('b', { kind: 'messaging', organizationId: 'o2', expiresAt: 9 })];
    for (const each of tokens) await registerToken(db, each);
    const found = await findTokens(db, ['b', 'unknown', 'a', 'a']);
    assert.deepEqual(
      found.sort((one, other) => (one.hash < other.hash ? -1 : 1)),
      tokens,
    );
    assert.deepEqual(await findTokens(db, []), []);
  });

  test('a token of another kind ends with its holder, whichever ends first', async (t) => {
    const { db } = await open(t);
    const holders = [
      { id: 'endless', enabled: 1, expires_at: null },
      { id: 'ending', enabled: 1, expires_at: 100 },
      { id: 'disabled', enabled: 0, expires_at: 100 },
    ] as const;
    for (const holder of holders) {
      const rest = {
        organization_id: 'o1',
        name: 'key',
        role: 'viewer',
        allow_list: '[]',
        created_by: 'test',
      } as const;
      const row = { ...rest, ...holder, created_at: 0, updated_at: 0 };
      await db.insertInto('management_key').values(row).execute();
    }
    const cases: readonly (readonly [subjectId: string, own: number | null, end: number | null])[] = [
      ['endless', null, null],
      ['endless', 50, 50],
      ['ending', null, 100],
      ['ending', 50, 50],
      ['ending', 200, 100],
      ['disabled', null, 0],
      ['gone', null, 0],
    ];
    for (const [index, [subjectId, expiresAt]] of cases.entries()) {
      await registerToken(db, token(`hash${index}`, { kind: 'management', subjectId, expiresAt }));
    }
    const ends = async (taken: 'deployment' | 'management') => {
      const found = await findTokensFor(
        db,
        taken,
        cases.map((_, index) => `hash${index}`),
      );
      const endOfHash = new Map(found.map((each) => [each.hash, endOf(each)]));
      return cases.map((_, index) => endOfHash.get(`hash${index}`));
    };
    assert.deepEqual(
      await ends('deployment'),
      cases.map(([, , end]) => end),
    );
    assert.deepEqual(
      await ends('management'),
      cases.map(([, own]) => own),
    );
  });

  test('the same hash is never registered twice', async (t) => {
    const { db } = await open(t);
    await registerToken(db, token('a'));
    await assert.rejects(registerToken(db, token('a', { subjectId: 's2' })), isUniqueViolation);
    assert.deepEqual(await findTokens(db, ['a']), [token('a')]);
  });

  test("a subject's tokens are listed newest first, nobody else's among them", async (t) => {
    const { db } = await open(t);
    const own = [token('new', { createdAt: 3 }), token('mid', { createdAt: 2 }), token('old')];
    const others = [token('x', { organizationId: 'o2' }), token('y', { subjectId: 's2' })];
    for (const each of [...others, ...own.toReversed()]) await registerToken(db, each);
    assert.deepEqual(await listTokens(db, 'o1', 's1'), own);
    assert.deepEqual(await listTokens(db, 'o1', 's3'), []);
  });

  test("expiring shortens a subject's tokens and never makes one last longer", async (t) => {
    const { db } = await open(t);
    await registerToken(db, token('endless'));
    await registerToken(db, token('later', { expiresAt: 200 }));
    await registerToken(db, token('sooner', { expiresAt: 50 }));
    await registerToken(db, token('other', { subjectId: 's2' }));
    const changed = await expireTokens(db, 'o1', 's1', 100, false);
    assert.deepEqual(changed.sort(), ['endless', 'later']);
    const ends = new Map((await findTokens(db, ['endless', 'later', 'sooner', 'other'])).map((row) => [row.hash, row]));
    assert.deepEqual(
      ['endless', 'later', 'sooner', 'other'].map((hash) => ends.get(hash)?.expiresAt),
      [100, 100, 50, null],
    );
  });

  test('what ends for good has ended by every clock, what had ended before as well', async (t) => {
    const { db } = await open(t);
    await registerToken(db, token('endless'));
    await registerToken(db, token('sooner', { expiresAt: 50 }));
    assert.deepEqual((await expireTokens(db, 'o1', 's1', 100, true)).sort(), ['endless', 'sooner']);
    assert.deepEqual(await expireTokens(db, 'o1', 's1', 200, true), []);
    await registerToken(db, token('next'));
    const found = await findTokens(db, ['endless', 'sooner', 'next']);
    assert.deepEqual(
      new Map(found.map((each) => [each.hash, [each.expiresAt, endOf(each)]])),
      new Map([
        ['endless', [100, 0]],
        ['sooner', [50, 0]],
        ['next', [null, null]],
      ]),
    );
  });

  test("removing takes a subject's tokens and no others", async (t) => {
    const { db } = await open(t);
    for (const each of [
      token('a'),
      token('b'),
      token('c', { organizationId: 'o2' }),
      token('d', { subjectId: 's2' }),
    ]) {
      await registerToken(db, each);
    }
    assert.deepEqual((await removeTokens(db, 'o1', 's1')).sort(), ['a', 'b']);
    assert.deepEqual((await findTokens(db, ['a', 'b', 'c', 'd'])).map((row) => row.hash).sort(), ['c', 'd']);
  });

  test('tokens that ended long ago are forgotten a few at a time, those without an end are kept', async (t) => {
    const { db } = await open(t);
    for (const each of [
      token('ended first', { expiresAt: 7 }),
      token('ended before', { expiresAt: 8 }),
      token('ended later', { expiresAt: 9 }),
      token('ends', { expiresAt: 10 }),
      token('endless'),
    ]) {
      await registerToken(db, each);
    }
    const left = async () => (await listTokens(db, 'o1', 's1')).map((row) => row.hash).sort();
    assert.equal(await forgetExpiredTokens(db, 10, 2), true);
    assert.deepEqual(await left(), ['ended later', 'endless', 'ends']);
    assert.equal(await forgetExpiredTokens(db, 10, 2), false);
    assert.deepEqual(await left(), ['endless', 'ends']);
  });
});
