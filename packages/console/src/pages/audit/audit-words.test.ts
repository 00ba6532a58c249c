import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditActions } from '@waxwing/contract/management-api/audit-actions.ts';
import { createInstance } from 'i18next';
import { chinese, english } from '../../i18n/all-texts.ts';
import { actionChoices, actionName, detailWords, hadName } from './audit-words.ts';

const languages = createInstance();
await languages.init({
  lng: 'zh-CN',
  resources: { 'zh-CN': { translation: chinese }, en: { translation: english } },
  fallbackLng: false,
  interpolation: { escapeValue: false },
});

test('every action of the trail has a name of its own in both languages', () => {
  for (const [language, form] of [
    ['zh-CN', /\p{Script=Han}/u],
    ['en', /^[A-Z][a-z -]+/],
  ] as const) {
    const names = actionChoices(languages.getFixedT(language)).map(({ label }) => label);
    for (const name of names) assert.match(name, form);
    assert.equal(new Set(names).size, auditActions.length);
  }
});

test('an action of another version is shown by its code', () => {
  assert.equal(actionName(languages.t, 'of-tomorrow.create'), 'of-tomorrow.create');
});

test('details are told in words as far as they are known', () => {
  const told = (name: string, value: unknown) => detailWords(languages, name, value);
  assert.deepEqual(told('new_account', true), { name: '新账号', isKnown: true, value: '是' });
  assert.deepEqual(told('former', 'viewer'), { name: '原角色', isKnown: true, value: '查看者' });
  assert.deepEqual(told('allow', ['203.0.113.7', '::1']), {
    name: 'IP 白名单',
    isKnown: true,
    value: '203.0.113.7, ::1',
  });
  assert.deepEqual(told('of_tomorrow', { a: 1 }), { name: 'of_tomorrow', isKnown: false, value: '{"a":1}' });
  assert.equal(told('constructor', null).isKnown, false);
});

test('what had a name and has none any more is gone', () => {
  assert.equal(hadName('private-key.hand-out'), true);
  assert.equal(hadName('deployment.delete'), true);
  assert.equal(hadName('push.resend'), false);
});
