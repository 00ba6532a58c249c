import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkMemos, refusalMemos } from '@waxwing/contract/memos.ts';
import { createInstance } from 'i18next';
import { chinese, english } from '../../i18n/all-texts.ts';
import { memoText, refusalReason } from './memo-reason.ts';

const languages = createInstance();
await languages.init({
  resources: { 'zh-CN': { translation: chinese }, en: { translation: english } },
  fallbackLng: false,
  interpolation: { escapeValue: false },
});
const inChinese = languages.getFixedT('zh-CN');
const inEnglish = languages.getFixedT('en');

test('every reason of the server is told in both languages', () => {
  for (const memo of Object.values({ ...refusalMemos, ...networkMemos })) {
    assert.match(memoText(inChinese, memo), /^[\p{Script=Han}：]+$/u, memo);
    assert.match(memoText(inEnglish, memo), /^[A-Z][a-z ]+:?$/, memo);
  }
  for (const reason of Object.keys(refusalMemos)) {
    for (const texts of [chinese, english]) assert.ok(reason in texts.messaging.memos, reason);
  }
});

test('a blocked word and the code of a network follow the reason', () => {
  assert.equal(memoText(inChinese, 'blocked word: casino'), '含有屏蔽词：casino');
  assert.equal(memoText(inChinese, 'network error 099'), '网络错误 099');
  assert.equal(refusalReason('blocked word: casino'), 'blockedWord');
});

test('the words of a carrier are shown as they come', () => {
  for (const memo of ['MA:0001', 'no carrier at all', 'recipient opted out: yes', ''])
    assert.equal(memoText(inChinese, memo), memo);
  for (const memo of [undefined, '', 'network error 099', 'no carrier at all'])
    assert.equal(refusalReason(memo), undefined);
});
