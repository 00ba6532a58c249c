import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../database/sql/database-errors.ts';
import { Problem } from '../runtime/problem.ts';
import { openingProblem } from './opening-problem.ts';

/** Writes to this Linux device find the disk full. */
const withoutFullDevice = existsSync('/dev/full') ? false : 'there is no /dev/full here';

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

test('a file that cannot be written is told by its path, the cause and what to do', () => {
  const error = thrownBy(() => writeFileSync('/dev/null/node-id', ''));
  const problem = openingProblem('/srv/waxwing', error) as Problem;
  assert.deepEqual([problem.code, problem.field], ['service_unavailable', 'WAXWING_DATA']);
  assert.match(problem.message, /^\/dev\/null\/node-id \(WAXWING_DATA\) cannot be used: .*\(ENOTDIR\)\. \w/);
});

test('a disk that is full is told by the data folder, because a write knows no path', {
  skip: withoutFullDevice,
}, () => {
  const error = thrownBy(() => writeFileSync('/dev/full', 'x'));
  const problem = openingProblem('/srv/waxwing', error) as Problem;
  assert.match(
    problem.message,
    /^\/srv\/waxwing \(WAXWING_DATA\) cannot be used: the disk is full \(ENOSPC\)\. Make room/,
  );
});

test('what is not the file system\u2019s is left as it is', () => {
  const errors = [
    new Problem('not_found'),
    new DatabaseUnavailable('no connection'),
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    new Error('a fault of ours'),
    'no error at all',
  ];
  for (const error of errors) assert.equal(openingProblem('/srv/waxwing', error), error);
});
