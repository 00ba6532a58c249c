import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../database/sql/database-errors.ts';
import { Problem } from '../runtime/problem.ts';
import { Usage } from './command.ts';
import { runCommandLine } from './command-line.ts';
import { exitCodeOf, printError, printWarning, reportError } from './error-report.ts';
import { fakeTerminal } from './terminal.testing.ts';

const rejected = new Problem('certificate_rejected', {
  field: 'certificate',
  detail: 'Not accepted.',
  faults: [{ field: 'key', message: 'does not fit \u001b[31m' }],
});

test('a problem is printed with each of its faults, without a stack and without control characters', () => {
  assert.equal(printError(rejected, false), 'error: Not accepted.\n  key: does not fit \uFFFD[31m');
  assert.equal(exitCodeOf(rejected), 1);
});

test('scripts get the same as one line of JSON', () => {
  assert.deepEqual(JSON.parse(printError(rejected, true)), {
    code: 'certificate_rejected',
    field: 'certificate',
    detail: 'Not accepted.',
    faults: [{ field: 'key', message: 'does not fit \u001b[31m' }],
  });
});

test('wrong usage says where the help stands, and has an exit code of its own', () => {
  const usage = new Usage('There is no option --nmae', 'thing make');
  assert.equal(printError(usage, false), 'error: There is no option --nmae\nSee: waxwing help thing make');
  assert.equal(exitCodeOf(usage), 2);
  assert.equal(reportError(usage).code, 'usage');
});

test('a database that is not reachable is an expected error', () => {
  assert.equal(
    printError(new DatabaseUnavailable('PostgreSQL does not answer'), false),
    'error: PostgreSQL does not answer',
  );
});

test('an unexpected error shows its stack, and no secret that stands in it', () => {
  const shown = printError(new Error('failed for wxd_abcdefghijklmnop'), false);
  assert.match(shown, /^error: failed for wxd_\*\*\*/);
  assert.match(shown, /error-report\.test\.ts/);
  assert.doesNotMatch(shown, /abcdefghijklmnop/);
});

test('what an unexpected error quotes reaches no terminal as it is', () => {
  const error = new Error('Unexpected token \u001b]0;x\u0007');
  for (const json of [false, true]) assert.doesNotMatch(printError(error, json), /\p{Cc}(?<!\n)/u);
  assert.match(printError(error, false), /\n {4}at .*error-report\.test\.ts/);
});

test('a warning is a line that scripts can read as they read an error', () => {
  assert.equal(printWarning('Look\u001b out.', false), 'warning: Look\uFFFD out.');
  assert.deepEqual(JSON.parse(printWarning('Look\n out.', true)), { warning: 'Look\n out.' });
});

test('a script that names no command, or a group of them, is told in JSON', async () => {
  for (const [argv, detail] of [
    [['--json'], /There is no command/],
    [['organization', '--json'], /^"organization" needs one of: create, /],
  ] as const) {
    const terminal = fakeTerminal('/');
    assert.equal(await runCommandLine(argv, terminal), 2);
    const { code, detail: told } = JSON.parse(terminal.written.err);
    assert.equal(code, 'usage');
    assert.match(told, detail);
  }
  const people = fakeTerminal('/');
  assert.equal(await runCommandLine(['organization'], people), 2);
  assert.match(people.written.err, /^Usage: waxwing organization/);
});
