import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { entityTag, isNotModified, type Representation } from './entity-tag.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_260_108 };
const tag = entityTag('v1', 'info', 'UTC');

test('a tag is strong, quoted, and the same every time', () => {
  assert.match(tag, /^"[\w-]{27}"$/);
  assert.equal(entityTag('v1', 'info', 'UTC'), tag);
});

test('each version and representation has its own tag, and the JSON one for each time zone', () => {
  const representations: Representation[] = ['info', 'certificate', 'key'];
  const tags = ['v1', 'v2'].flatMap((version) => representations.map((kind) => entityTag(version, kind, 'UTC')));
  assert.equal(new Set([...tags, entityTag('v1', 'info', 'Asia/Shanghai')]).size, 7);
  assert.equal(entityTag('v1', 'key', 'Asia/Shanghai'), entityTag('v1', 'key', 'UTC'), 'a PEM file holds no time');
});

test('If-None-Match is a list, compared weakly', () => {
  for (const header of [tag, `W/${tag}`, '*', `"a", ${tag}`, `"a,b" ,\tW/"c",,${tag} , "d"`, ` ${tag} `]) {
    assert.equal(isNotModified(header, tag), true, header);
  }
  const others = [undefined, '', '"a"', tag.slice(1, -1), `w/${tag}`, `"a" ${tag}`, `nonsense, ${tag}`, '*, "a"'];
  for (const header of [...others, `"x${tag.slice(1)}`, `""${tag}`]) {
    assert.equal(isNotModified(header, tag), false, `${header}`);
  }
});

test('a tag is found in any list that holds it, and in no other', () => {
  const other = fc
    .string({ unit: fc.constantFrom(...'abc,*/W \t'.split('')) })
    .map((text) => `"${text.replace(/\s/g, '')}"`);
  const entry = fc.tuple(fc.constantFrom('', 'W/'), other).map(([weak, opaque]): string => weak + opaque);
  fc.assert(
    fc.property(fc.array(entry), fc.constantFrom(',', ', ', ' ,,\t'), fc.nat(), (entries, comma, place) => {
      assert.equal(isNotModified(entries.join(comma), tag), false);
      const at = place % (entries.length + 1);
      assert.equal(isNotModified(entries.toSpliced(at, 0, tag).join(comma), tag), true);
    }),
    runs,
  );
});

test('blanks are passed once, not once more for each of them', () => {
  // Tried anew from each blank, these would take minutes.
  for (const blank of [' ', '\t']) assert.equal(isNotModified(`,${blank.repeat(1_000_000)}x`, tag), false);
});
