import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseScript } from './parse-script.ts';
import { ScriptObject } from './script-object.ts';

const guide = readFileSync(new URL('../../../docs/guides/simulated-carrier.md', import.meta.url), 'utf8');

test('the scripts of the guide are accepted', () => {
  const scripts = [...guide.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => text);
  assert.notEqual(scripts.length, 0);
  for (const script of scripts) assert.deepEqual(parseScript(script, 'smpp').faults, undefined);
});

test('the guide names every field', () => {
  const unknown = { nonsense: 1 };
  const script = { ...unknown, tls: unknown, rules: [{ ...unknown, receipts: [unknown], replies: [unknown] }] };
  const faults = parseScript(JSON.stringify(script), 'smpp').faults ?? [];
  const lists = faults.flatMap(({ message }) => /There are: (.*)\./.exec(message)?.[1]?.split(', ') ?? []);
  assert.ok(lists.length > 20);
  for (const name of lists) assert.ok(guide.includes(`\`${name}\``), name);
});

test('a field that objects have by themselves is none of a script', () => {
  assert.equal(new ScriptObject({}, '', []).has('constructor'), false);
});
