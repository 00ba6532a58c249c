import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { problemReasons } from '@waxwing/contract/management-api/problem-reasons.ts';

const folder = join(import.meta.dirname, '..');
const codes = Object.keys(problemReasons);
const reasonsOf = (code: string): Readonly<Record<string, readonly string[]>> =>
  problemReasons[code as keyof typeof problemReasons];

/** No operation of the management API leads there. */
const onlyLocal = [
  // At the start of the server.
  'http/listen-problem.ts',
  'instance/master-keys.ts',
  // The rotation of master keys, only on the command line.
  'certificates/sealed-keys.ts',
];

/** Refusals by a command itself reach only a person at the machine. */
const sources = globSync('**/*.ts', { cwd: folder })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !/(?:\.test|\.testing|(?:^|\/)testing)\.ts$|^cli\//.test(path))
  .map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const);

/** Up to the closing parenthesis of the first one. Those in texts come in pairs. */
function untilClosed(text: string): string {
  let depth = 0;
  for (const { 0: sign, index } of text.matchAll(/[()]/g)) {
    depth += sign === '(' ? 1 : -1;
    if (depth === 0) return text.slice(0, index + 1);
  }
  return text;
}

interface Made {
  readonly path: string;
  readonly code: string;
  readonly words: string;
}

/** Every problem in the sources with a code that has reasons. */
const made: readonly Made[] = sources.flatMap(([path, text]) =>
  [...text.matchAll(/new Problem\(\s*'(\w+)'/g)]
    .map(({ 1: code = '', index }) => ({
      path,
      code,
      words: untilClosed(text.slice(index + 'new Problem'.length)),
    }))
    .filter(({ code }) => codes.includes(code)),
);

const parametersIn = (words: string): readonly string[] => {
  const [, inside = ''] = /\bparameters: \{([^}]*)\}/.exec(words) ?? [];
  return [...inside.matchAll(/(?:^|,)\s*(\w+)/g)].map(([, name = '']) => name).sort();
};

test('every problem of a code that has reasons gives one of them, with its parameters', () => {
  assert.ok(made.length > 40, `only ${made.length} problems were found`);
  for (const { path, code, words } of made.filter((each) => !onlyLocal.includes(each.path))) {
    const [, reason] = /\breason: '(\w+)'/.exec(words) ?? [];
    if (reason === undefined) {
      // From another place, whose type is that of the table.
      const isTyped = new RegExp(`ReasonOf<'${code}'>`).test(sources.find(([name]) => name === path)?.[1] ?? '');
      assert.ok(/\breason\b/.test(words) && isTyped, `${path}: a reason is missing: ${words}`);
    } else {
      assert.ok(Object.hasOwn(reasonsOf(code), reason), `${path}: ${code} has no reason ${reason}`);
      assert.deepEqual(parametersIn(words), [...(reasonsOf(code)[reason] ?? [])].sort(), `${path}: ${reason}`);
    }
  }
});

test('no reason is left that nothing gives', () => {
  const all = sources.map(([, text]) => text).join('\n');
  for (const code of codes) {
    for (const reason of Object.keys(reasonsOf(code))) {
      // A table of reasons has them as names.
      assert.match(all, new RegExp(`'${reason}'|^\\s+${reason}: \\{`, 'm'), `${code}: ${reason}`);
    }
  }
});

test('what only the command line meets is still there', () => {
  for (const path of onlyLocal)
    assert.ok(
      made.some((each) => each.path === path),
      path,
    );
});
