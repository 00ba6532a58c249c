import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allOperations } from '@waxwing/contract/management-api/all-operations.ts';
import { staleTags, tagsOfKind } from './query-key.ts';

const tags = new Set(allOperations.map(({ tag }) => tag));
const ofConsole = join(import.meta.dirname, '..');
const changeLog = join(import.meta.dirname, '../../../server/src/database/change-log.ts');

test('a change makes stale only what some operation answers', () => {
  for (const [kind, stale] of Object.entries(tagsOfKind)) {
    for (const tag of stale) assert.ok(tags.has(tag), `${kind}: ${tag}`);
  }
});

test('every kind of change that the server notes makes something stale', () => {
  const [, union = ''] = /export type ChangedKind =([^;]+);/.exec(readFileSync(changeLog, 'utf8')) ?? [];
  const kinds = [...union.matchAll(/'([a-z-]+)'/g)].map(([, kind = '']) => kind);
  assert.ok(kinds.includes('account') && kinds.includes('session'), 'the kinds are found in the source');
  for (const kind of [...kinds, 'message-event']) assert.ok(kind in tagsOfKind, kind);
  assert.equal(staleTags('everything'), 'all');
  assert.equal(staleTags('of a later server'), 'all');
});

test('what pages name as stale besides is answered by some operation', () => {
  const named: string[] = [];
  for (const file of globSync('**/*.{ts,tsx}', { cwd: ofConsole })) {
    const source = readFileSync(join(ofConsole, file), 'utf8');
    for (const [, list = ''] of source.matchAll(/useChange\([^[\]()]*\[([^\]]*)\]/g)) {
      for (const [, tag = ''] of list.matchAll(/'([^']*)'/g)) {
        named.push(tag);
        assert.ok(tags.has(tag), `${file}: ${tag}`);
      }
    }
  }
  assert.ok(named.length > 0, 'the calls are found in the sources');
});
