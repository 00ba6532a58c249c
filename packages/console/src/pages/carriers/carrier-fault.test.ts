import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createInstance } from 'i18next';
import { chinese, english } from '../../i18n/all-texts.ts';
import { laterFile } from '../../i18n/lazy-texts-zh-cn.ts';
import { carrierFaults, carrierFaultText } from './carrier-fault.ts';

const languages = createInstance();
await languages.init({
  resources: { en: { translation: english }, 'zh-CN': { translation: { ...chinese, ...laterFile } } },
  fallbackLng: false,
  interpolation: { escapeValue: false },
});

const packages = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(packages, path), 'utf8');

/** The sentences as the sources have them, with `7` in each gap. */
const told = [
  ...['carrier-session/src/connection-words.ts', 'carrier-session/src/link.ts'],
  'server/src/carriers/links/test-link.ts',
].flatMap((path) =>
  [...read(path).matchAll(/['`]((?:the (?!bind|message)|no )[^'`\n]*)['`]/g)].map(([, text = '']) =>
    text.replace(/\$\{[^}]*\}+/g, '7'),
  ),
);

test('each fault of a link is told in Chinese, and in English in the words of the server', async () => {
  assert.ok(told.length >= Object.keys(carrierFaults).length - 4, `only ${told.length} sentences were found`);
  for (const message of told) {
    await languages.changeLanguage('en');
    assert.equal(carrierFaultText(languages, message), message);
    await languages.changeLanguage('zh-CN');
    assert.match(carrierFaultText(languages, message), /\p{Script=Han}/u, message);
  }
});

test('the words of a carrier are shown as they come, also inside of a sentence', async () => {
  await languages.changeLanguage('zh-CN');
  const refused = 'the carrier refused the bind: 3 authentication failed';
  assert.equal(carrierFaultText(languages, refused), '对方拒绝绑定：3 authentication failed');
  const ended = 'no answer to the bind: the carrier closed the connection';
  assert.equal(carrierFaultText(languages, ended), '绑定请求没有应答：连接由对方关闭。');
  for (const words of ['ESME_RBINDFAIL', '', 'The session was closed.']) {
    assert.equal(carrierFaultText(languages, words), words);
  }
});
