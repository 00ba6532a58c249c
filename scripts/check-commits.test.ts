import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subjectFaults } from './check-commits.ts';

const sound = [
  'Refuse a second server on one data folder',
  'Pass the address on, and feed the queue',
  'Bring the schema up to date',
  'Address what a review found',
  `Add ${'x'.repeat(68)}`,
];
for (const subject of sound) {
  test(`"${subject}" is a subject`, () => assert.deepEqual(subjectFaults(subject), []));
}

const unsound: readonly [subject: string, fault: RegExp][] = [
  [`Add ${'x'.repeat(69)}`, /has 73 characters/],
  ['refuse a second server', /begin with a verb/],
  ['Refused a second server', /begin with a verb/],
  ['Refusing a second server', /begin with a verb/],
  ['Refuses a second server', /begin with a verb/],
  ['The server refuses a second one', /begin with a verb/],
  ['fix(server): Refuse a second one', /begin with a verb/],
  ['', /begin with a verb/],
  ['Refuse a second server.', /full stop/],
];
for (const [subject, fault] of unsound) {
  test(`"${subject}" is none`, () => {
    const faults = subjectFaults(subject);
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? '', fault);
  });
}
