import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createInstance } from 'i18next';
import { chinese, english } from '../../i18n/all-texts.ts';
import { carrierReason } from './carrier-reason.ts';

const languages = createInstance();
await languages.init({
  resources: { 'zh-CN': { translation: chinese }, en: { translation: english } },
  fallbackLng: false,
  interpolation: { escapeValue: false },
});
const inChinese = (reason: string) => carrierReason(languages.getFixedT('zh-CN'), 'zh-CN', reason);
const inEnglish = (reason: string) => carrierReason(languages.getFixedT('en'), 'en', reason);

const source = readFileSync(join(import.meta.dirname, '../../../../server/src/carriers/carrier-choice.ts'), 'utf8');

/** The sentences of the server, with something in each gap. */
const sentences = [...source.matchAll(/['`]((?:the only|first by|priority \$|next after)[^'`]*)['`]/g)].map(
  ([, text = '']) => text.replace(/\$\{(?:since)\}/g, '2026-01-02T03:04:05.000Z').replace(/\$\{[^}]*\}/g, '7'),
);

test('every sentence of the server is told in both languages', () => {
  assert.equal(sentences.length, 7, 'the sentences are found in the source');
  const withAppendix = ['which is down', 'which refused it for now'].map((why) => `the only matching carrier, ${why}`);
  for (const reason of [...sentences, ...withAppendix]) {
    assert.match(inChinese(reason), /\p{Script=Han}/u, reason);
    assert.doesNotMatch(inChinese(reason), /[a-z]{3}/, reason);
    assert.match(inEnglish(reason), /^[A-Z].*\.$/, reason);
  }
});

test('what differs from message to message is filled in', () => {
  assert.equal(
    inEnglish('priority 2, by weight among 3 of 5 matching carriers'),
    'Priority 2, by weight among 3 of 5 matching carriers.',
  );
  assert.equal(inChinese('next after 联通, which refused it for now'), '联通 暂时拒绝，因此改由此通道发送。');
  assert.match(
    inEnglish('next after A, B, which has been down since 2026-01-02T03:04:05.000Z'),
    /^Next after A, B, .* 2026-01-0/,
  );
});

test('other sentences are shown as they come', () => {
  assert.equal(inChinese('chosen by the moon'), 'chosen by the moon');
});
