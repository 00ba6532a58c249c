import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemReasons } from '@waxwing/contract/management-api/problem-reasons.ts';
import { createInstance } from 'i18next';
import { ApiProblem } from '../../api/api-problem.ts';
import { english } from '../../i18n/all-texts.ts';
import { firstReasonTexts } from '../../i18n/first-reason-texts-zh-cn.ts';
import { laterFile } from '../../i18n/lazy-texts-zh-cn.ts';
import { problemReasonTexts } from '../../i18n/problem-reason-texts-zh-cn.ts';
import { firstFile } from '../../i18n/texts-zh-cn.ts';
import { problemTexts } from './problem-texts.ts';

/** As the console has them before somebody signs in, and after. */
async function languagesWith(...files: readonly object[]) {
  const languages = createInstance();
  await languages.init({
    lng: 'zh-CN',
    resources: { en: { translation: english } },
    fallbackLng: false,
    interpolation: { escapeValue: false },
  });
  for (const file of files) languages.addResourceBundle('zh-CN', 'translation', file, true);
  return languages;
}

const first = await languagesWith(firstFile);
const all = await languagesWith(firstFile, laterFile);

const reasons = Object.entries(problemReasons).flatMap(([code, ofCode]) =>
  Object.entries(ofCode).map(([reason, names]) => [code, reason, names as readonly string[]] as const),
);

const refusal = (code: string, reason: string | undefined, names: readonly string[] = []) =>
  new ApiProblem({
    status: 409,
    code,
    detail: 'As it is.',
    parameters: Object.fromEntries(names.map((name) => [name, `<${name}>`])),
    ...(reason !== undefined && { reason }),
  });

test('each reason is told in Chinese, with all that it is filled with and nothing else', () => {
  assert.ok(reasons.length > 40);
  for (const [code, reason, names] of reasons) {
    const { title, remedy, words } = problemTexts(all, refusal(code, reason, names));
    assert.match(title, /\p{Script=Han}/u);
    assert.match(words, /\p{Script=Han}.*。$/u, `${code}: ${reason}`);
    assert.doesNotMatch(words, /\{\{|problemReasons/, `${code}: ${reason}`);
    assert.deepEqual([...new Set(words.match(/(?<=<)\w+(?=>)/g))].sort(), [...names].sort(), `${code}: ${reason}`);
    assert.equal(remedy, '', 'what to do is said once');
  }
});

test('an unknown code, and one that looks like part of a key, is told in the words of the server', () => {
  for (const code of ['no_such_code', 'constructor', 'conflict.title', '', 'oneLine'])
    assert.deepEqual(problemTexts(all, refusal(code, undefined)), { title: 'As it is.', remedy: '', words: '' });
});

test('there are no texts in Chinese for reasons that the server does not have, and none twice', () => {
  const told = [firstReasonTexts, problemReasonTexts].flatMap((texts) =>
    Object.entries(texts).flatMap(([code, ofCode]) => Object.keys(ofCode).map((reason) => `${code} ${reason}`)),
  );
  assert.deepEqual(told.sort(), reasons.map(([code, reason]) => `${code} ${reason}`).sort());
});

test('what can happen before somebody signs in is told without the later texts', () => {
  const ofCodes = ['password_rejected', 'sso_refused', 'origin_not_allowed'];
  const ofLinks = ['account_exists', 'account_made_meanwhile'];
  for (const [code, reason, names] of reasons) {
    if (!ofCodes.includes(code) && !ofLinks.includes(reason)) continue;
    assert.match(problemTexts(first, refusal(code, reason, names)).words, /\p{Script=Han}/u, `${code}: ${reason}`);
  }
});

test('in English each reason is told in the words of the server', async () => {
  const languages = await languagesWith(firstFile, laterFile);
  await languages.changeLanguage('en');
  for (const [code, reason, names] of reasons) {
    assert.equal(problemTexts(languages, refusal(code, reason, names)).words, 'As it is.');
  }
});

test('a reason that is not known yet comes in the words of the server', () => {
  for (const reason of [undefined, '', 'of_tomorrow', 'constructor', '*', 'last_owner.x', 'no_role']) {
    assert.equal(problemTexts(all, refusal('conflict', reason)).words, 'As it is.', reason ?? 'none');
  }
  assert.notEqual(problemTexts(all, refusal('password_rejected', 'of_tomorrow')).remedy, '');
});

test('what an address says of a refused sign-in is told by its reason; without one no bare code is shown', async () => {
  const told = (reason?: string) =>
    problemTexts(first, new ApiProblem({ code: 'sso_refused', ...(reason !== undefined && { reason }) }));
  assert.equal(told('no_role').words, firstReasonTexts.sso_refused.no_role);
  assert.equal(told().words, '');
  assert.notEqual(told().remedy, '');
});
