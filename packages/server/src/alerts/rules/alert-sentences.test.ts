import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlertNotice, alertNotices } from '@waxwing/contract/management-api/alert-notices.ts';
import { sentencesOf } from './alert-sentences.ts';

test('every notice says all of its parameters, and nothing that is missing', () => {
  for (const [notice, names] of Object.entries(alertNotices)) {
    const parameters = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
    const { subject, detail } = sentencesOf(notice as AlertNotice, parameters);
    const text = `${subject} ${detail}`;
    for (const name of names) assert.ok(text.includes(`<${name}>`), `${notice} says ${name}`);
    assert.doesNotMatch(text, /undefined/, notice);
    assert.match(detail, /\.$/, notice);
  }
});

test('one day is not several', () => {
  const parameters = { certificate: 'shop', until: '2026-01-31T00:00:00.000Z', deployments: 0 };
  assert.match(sentencesOf('certificate_expiring', { ...parameters, days: 1 }).subject, /in 1 day$/);
  assert.match(sentencesOf('certificate_expiring', { ...parameters, days: 3 }).subject, /in 3 days$/);
});
