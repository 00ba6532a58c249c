import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filtersFrom, narrowed, oneOf, searchText, switchedOn } from './list-filters.ts';

test('a change replaces what it names and takes away what it leaves undefined', () => {
  const filters: { search?: string; state?: string } = { search: 'a', state: 'issued' };
  assert.deepEqual(narrowed(filters, { search: undefined }), { state: 'issued' });
  assert.deepEqual(narrowed(filters, { state: 'failed' }), { search: 'a', state: 'failed' });
});

test('what is searched for is a text, though the router read a number', () => {
  assert.equal(searchText(13800138000), '13800138000');
  assert.equal(searchText('  +86 138 '), '+86 138');
  assert.equal(searchText('x'.repeat(300))?.length, 200);
  for (const nothing of ['', '  ', undefined, null, {}, []]) assert.equal(searchText(nothing), undefined);
});

test('a filter that can only be on is a text in an address', () => {
  for (const on of ['true', true]) assert.equal(switchedOn(on), true);
  for (const off of ['false', false, '1', '', undefined]) assert.equal(switchedOn(off), undefined);
});

test('an address gives the filters that make sense, and nothing else', () => {
  const read = filtersFrom({ search: searchText, state: oneOf(['on', 'off']) });
  assert.deepEqual(read({ search: ' a ', state: 'off', page: 3 }), { search: 'a', state: 'off' });
  assert.deepEqual(read({ search: '', state: 'lost' }), {});
});
