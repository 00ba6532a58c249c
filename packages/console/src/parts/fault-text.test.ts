import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateFaults } from '@waxwing/contract/management-api/certificate-faults.ts';
import { createInstance } from 'i18next';
import { chinese, english } from '../i18n/all-texts.ts';
import { faultText } from './fault-text.ts';

const languages = createInstance();
await languages.init({
  resources: { en: { translation: english }, 'zh-CN': { translation: chinese } },
  fallbackLng: false,
  interpolation: { escapeValue: false },
});

const expired = {
  field: 'certificate',
  message: 'The certificate CN=a.example expired on 2026-01-01T00:00:00Z; give a renewed one.',
  code: 'expired',
  parameters: { certificate: 'CN=a.example', serial: '01AB', date: '2026-01-01T00:00:00Z' },
};

test('each fault of a certificate is told in both languages, with all that it is filled with', async () => {
  for (const language of ['en', 'zh-CN']) {
    await languages.changeLanguage(language);
    for (const [code, sentence] of Object.entries(certificateFaults)) {
      const names = [...sentence.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
      const parameters = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
      const text = faultText(languages, { field: 'certificate', message: 'in other words', code, parameters });
      assert.notEqual(text, 'In other words', `${language}: no text for ${code}`);
      assert.doesNotMatch(text, /\{\{|certificateFaults/, `${language}: ${code}`);
      for (const name of names) assert.ok(text.includes(`<${name}>`), `${language}: ${code} leaves out ${name}`);
      assert.equal(/\p{Script=Han}/u.test(text), language === 'zh-CN', `${language}: ${code}: ${text}`);
    }
  }
});

test('in English it is the sentence of the server', async () => {
  await languages.changeLanguage('en');
  assert.equal(faultText(languages, expired), expired.message);
});

test('a certificate without a subject goes by its serial number', async () => {
  const nameless = { ...expired, parameters: { ...expired.parameters, certificate: '' } };
  await languages.changeLanguage('en');
  assert.match(faultText(languages, nameless), /^The certificate with serial 01AB expired/);
  await languages.changeLanguage('zh-CN');
  assert.match(faultText(languages, nameless), /序列号 01AB/);
});

test('a fault without a code, or with one that is not known yet, comes in the words of the server', async () => {
  await languages.changeLanguage('zh-CN');
  assert.equal(faultText(languages, { field: 'files[0]', message: 'is missing' }), 'Is missing');
  assert.equal(faultText(languages, { field: 'files[0]', message: 'is new', code: 'of_tomorrow' }), 'Is new');
});
