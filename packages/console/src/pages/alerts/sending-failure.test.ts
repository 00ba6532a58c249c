import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SendingFailure, sendingFailures, sendingFailureWords } from '@waxwing/contract/sending-failures.ts';
import { createInstance } from 'i18next';
import { chinese, english } from '../../i18n/all-texts.ts';
import { laterFile } from '../../i18n/lazy-texts-zh-cn.ts';
import { sendingFailureText } from './sending-failure.ts';

const languages = createInstance();
await languages.init({
  resources: { en: { translation: english }, 'zh-CN': { translation: { ...chinese, ...laterFile } } },
  fallbackLng: false,
  interpolation: { escapeValue: false },
});

const failures = Object.keys(sendingFailures) as SendingFailure[];
const parameters = { code: 'ECONNREFUSED', status: 503, words: 'Try later.\nOr (never).', accepted: 2, all: 3 };

test('each failure of the server is told in Chinese with its parameters, and in English as it is', async () => {
  for (const failure of failures) {
    const message = sendingFailureWords(failure, parameters);
    await languages.changeLanguage('en');
    assert.equal(sendingFailureText(languages, message), message);
    await languages.changeLanguage('zh-CN');
    const told = sendingFailureText(languages, message);
    assert.match(told, /\p{Script=Han}/u, failure);
    assert.doesNotMatch(told, /\{\{|undefined/, failure);
    for (const [, name = ''] of sendingFailures[failure].matchAll(/\{\{(\w+)\}\}/g)) {
      assert.ok(told.includes(String(parameters[name as keyof typeof parameters])), `${failure}: ${told}`);
    }
  }
});

test('the words of a receiver are shown as they come', async () => {
  await languages.changeLanguage('zh-CN');
  for (const words of ['310000: sign not match', 'No answer came in time. At all.', '$t(common.yes) {{code}}', '']) {
    assert.equal(sendingFailureText(languages, words), words);
  }
});
