import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertNotices } from '@waxwing/contract/management-api/alert-notices.ts';
import { auditFaults } from '@waxwing/contract/management-api/audit-faults.ts';
import { certificateFaults } from '@waxwing/contract/management-api/certificate-faults.ts';
import { findingsInOrder, findingsWithRemedy } from '@waxwing/contract/management-api/doctor-findings.ts';
import { createInstance } from 'i18next';
import { chinese, english } from '../../i18n/all-texts.ts';
import { laterFile } from '../../i18n/lazy-texts-zh-cn.ts';
import { serverTexts } from '../../i18n/server-texts-zh-cn.ts';
import { formatInstant } from '../marks/format-instant.ts';
import { faultText } from './fault-text.ts';

const languages = createInstance();
await languages.init({
  resources: { en: { translation: english }, 'zh-CN': { translation: { ...chinese, ...laterFile } } },
  fallbackLng: false,
  interpolation: { escapeValue: false },
});

const expired = {
  field: 'certificate',
  message: 'The certificate CN=a.example expired on 2026-01-01T00:00:00Z; give a renewed one.',
  code: 'expired',
  parameters: { certificate: 'CN=a.example', serial: '01AB', date: '2026-01-01T00:00:00Z' },
};

const namesIn = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);

type Place = Parameters<typeof faultText>[1];

/** Every code of the contract, where its texts are, and the names of the parameters that the server gives. */
const codes: readonly (readonly [code: string, places: readonly Place[], names: readonly string[]])[] = [
  ...Object.entries(certificateFaults).map(
    ([code, sentence]) => [code, ['certificateFaults.*'], namesIn(sentence)] as const,
  ),
  ...Object.entries(alertNotices).map(
    ([code, names]) => [code, ['alertNotices.*.subject', 'alertNotices.*.detail'], names] as const,
  ),
  ...Object.entries(auditFaults).map(([code, names]) => [code, ['auditFaults.*'], names] as const),
  ...Object.entries(findingsInOrder).map(([code, names]) => [code, ['doctorFindings.*.message'], names] as const),
  ...Object.entries(findingsWithRemedy).map(
    ([code, names]) => [code, ['doctorFindings.*.message', 'doctorFindings.*.remedy'], names] as const,
  ),
];

test('each code of the server is told in Chinese, with all that it is filled with and nothing else', async () => {
  await languages.changeLanguage('zh-CN');
  for (const [code, places, names] of codes) {
    const parameters = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
    const texts = places.map((place) => {
      const text = faultText(languages, place, { message: 'in other words', code, parameters });
      assert.match(text, /\p{Script=Han}/u, `${place}: ${code}: ${text}`);
      return text;
    });
    const told = texts.join(' ');
    assert.doesNotMatch(told, /\{\{|Faults|Findings/, code);
    assert.deepEqual([...new Set(told.match(/(?<=<)\w+(?=>)/g))].sort(), [...new Set(names)].sort(), code);
  }
});

test('there are no texts in Chinese for codes that the server does not have', () => {
  const { alertNotices: alert, auditFaults: audit, certificateFaults: certificate, doctorFindings } = serverTexts;
  const told = [alert, audit, certificate, doctorFindings].flatMap((texts) => Object.keys(texts));
  assert.deepEqual(told.sort(), codes.map(([code]) => code).sort());
});

test('in English each code is told in the words of the server', async () => {
  await languages.changeLanguage('en');
  for (const [code, places] of codes) {
    for (const place of places) assert.equal(faultText(languages, place, { message: 'As it is', code }), 'As it is');
  }
});

test('in both languages a time is told in the zone of the reader', async () => {
  const { date } = expired.parameters;
  for (const language of ['en', 'zh-CN'] as const) {
    await languages.changeLanguage(language);
    const told = faultText(languages, 'certificateFaults.*', expired);
    assert.ok(told.includes(formatInstant(date, language)), told);
    assert.ok(!told.includes(date), told);
  }
});

test('what a finding is filled with stands in its text as it is, a number and a command too', async () => {
  const expiring = {
    code: 'certificates_expiring',
    message: 'Expiring within 14 days (1): $t(common.yes) {{count}}.',
    parameters: { count: 1, certificates: '$t(common.yes) {{count}}' },
  };
  await languages.changeLanguage('zh-CN');
  assert.equal(
    faultText(languages, 'doctorFindings.*.message', expiring),
    '1 张证书将在 14 天内过期，包括：$t(common.yes) {{count}}。',
  );
  await languages.changeLanguage('en');
  assert.equal(faultText(languages, 'doctorFindings.*.message', expiring), expiring.message);
  const remedy = { code: 'data_folder_open_to_others', message: 'chmod 700 /data' };
  assert.equal(faultText(languages, 'doctorFindings.*.remedy', remedy), 'chmod 700 /data');
});

test('a certificate without a subject goes by its serial number', async () => {
  const nameless = { ...expired, parameters: { ...expired.parameters, certificate: '' } };
  await languages.changeLanguage('zh-CN');
  assert.match(faultText(languages, 'certificateFaults.*', nameless), /序列号 01AB/);
});

test('a fault without a code, or with one that is not known yet, comes in the words of the server', async () => {
  await languages.changeLanguage('zh-CN');
  const told = (place: Place, code?: string) =>
    faultText(languages, place, { message: 'is new', ...(code === undefined ? {} : { code }) });
  assert.equal(told('certificateFaults.*'), 'Is new');
  assert.equal(told('certificateFaults.*', 'of_tomorrow'), 'Is new');
  assert.equal(told('auditFaults.*', 'of_tomorrow'), 'is new');
  assert.equal(told('doctorFindings.*.remedy', 'of_tomorrow'), 'is new');
  assert.equal(told('doctorFindings.*.remedy', 'settings_accepted'), 'is new');
});
