import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestRefusals } from '@waxwing/contract/requested-names.ts';
import { createInstance } from 'i18next';
import { ApiProblem } from '../../api/api-problem.ts';
import { english } from '../../i18n/all-texts.ts';
import { laterFile } from '../../i18n/lazy-texts-zh-cn.ts';
import { firstFile } from '../../i18n/texts-zh-cn.ts';
import { refusalText, refusedField } from './request-refusal.ts';

async function languagesIn(lng: string) {
  const languages = createInstance();
  await languages.init({ lng, resources: {}, fallbackLng: false, interpolation: { escapeValue: false } });
  languages.addResourceBundle('en', 'translation', english);
  for (const file of [firstFile, laterFile]) languages.addResourceBundle('zh-CN', 'translation', file, true);
  return languages;
}
const inChinese = await languagesIn('zh-CN');
const inEnglish = await languagesIn('en');

const refusal = (field: string, more: object = {}) =>
  new ApiProblem({ status: 400, code: 'invalid_parameter', field, detail: 'Not so.', ...more });

test('a refusal stands at its field', () => {
  assert.equal(refusedField(refusal('domains[3]')), 'domains');
  assert.equal(refusedField(refusal('dns_provider')), 'dns_provider');
  assert.equal(refusedField(refusal('body')), undefined);
  assert.equal(refusedField({ field: undefined }), undefined);
});

test('each reason is told in both languages, without the options of the command line', () => {
  for (const reason of requestRefusals) {
    assert.match(refusalText(inChinese, refusal('challenge', { reason })), /\p{Script=Han}.*。$/u, reason);
    const words = refusalText(inEnglish, refusal('challenge', { reason }));
    assert.match(words, /\.$/, reason);
    assert.doesNotMatch(words, /--/, reason);
  }
});

test('each field is told in Chinese, and in the words of the server in English', () => {
  for (const field of ['domains', 'authorities', 'challenge', 'dns_provider', 'name', 'key', 'profile']) {
    assert.match(refusalText(inChinese, refusal(field)), /\p{Script=Han}/u, field);
    assert.equal(refusalText(inEnglish, refusal(field)), 'Not so.');
  }
});
