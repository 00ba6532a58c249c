import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allOperations } from '@waxwing/contract/management-api/all-operations.ts';
import { providerForms } from '@waxwing/contract/management-api/dns-provider-forms.ts';
import { updatePushSetting } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { maxMobiles, maxSegments } from '@waxwing/contract/messaging-api.ts';
import { pushParameters } from '@waxwing/contract/push-request.ts';
import { createInstance } from 'i18next';
import { chinese, english } from '../../i18n/all-texts.ts';
import { inputRuleTexts } from '../../i18n/input-rule-texts-zh-cn.ts';
import { laterFile } from '../../i18n/lazy-texts-zh-cn.ts';
import { urlFaultTexts } from '../../i18n/url-fault-texts-zh-cn.ts';
import { faultText } from '../text/fault-text.ts';
import { inputText } from './input-text.ts';

const languages = createInstance();
await languages.init({
  resources: { en: { translation: english }, 'zh-CN': { translation: { ...chinese, ...laterFile } } },
  fallbackLng: false,
  interpolation: { escapeValue: false },
});

interface Schema {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** All inputs below a schema, by their paths. */
function inputsIn(schema: Schema | undefined, path: string): readonly (readonly [path: string, schema: Schema])[] {
  if (schema === undefined) return [];
  const { anyOf = [], items, properties = {} } = schema;
  return [
    ...(path === '' ? [] : [[path, schema] as const]),
    ...anyOf.flatMap((branch) => inputsIn(branch, path)),
    ...inputsIn(items, path),
    ...Object.entries(properties).flatMap(([name, inside]) => inputsIn(inside, path === '' ? name : `${path}.${name}`)),
  ];
}

const inputs = allOperations
  .flatMap(({ query, body }) => [...inputsIn(query as Schema, ''), ...inputsIn(body as Schema, '')])
  // A switch cannot be set wrong, and what a passkey says is the browser's.
  .filter(([path, { type }]) => type !== 'boolean' && !path.startsWith('credential.'));

/** Those that the server names besides the inputs of the contract. */
const namedByServer = [
  ...['body', 'Idempotency-Key', 'overlap', 'prefix', 'timeout', 'update'],
  ...Object.values(providerForms).flatMap(({ options }) => options.map(({ name }) => `options.${name}`)),
];

const refused = (field: string) => inputText(languages, { field, message: 'As it is.' });

test('what each input takes is told in Chinese', async () => {
  await languages.changeLanguage('zh-CN');
  assert.ok(inputs.length > 100, `only ${inputs.length} inputs were found`);
  for (const field of [...inputs.map(([path]) => path), ...namedByServer]) {
    assert.match(refused(field), /\p{Script=Han}/u, field);
    assert.doesNotMatch(refused(field), /\{\{|inputRules/, field);
  }
});

test('in English it is told in the words of the server', async () => {
  await languages.changeLanguage('en');
  for (const field of [...Object.keys(inputRuleTexts), 'mobiles[2]']) assert.equal(refused(field), 'As it is.');
});

test('no rule is there for an input that nobody has', () => {
  const names = new Set([...inputs.flatMap(([path]) => [path, path.split('.').at(-1)]), ...namedByServer]);
  assert.deepEqual(
    Object.keys(inputRuleTexts).filter((name) => !names.has(name)),
    [],
  );
});

test('the rules have the limits of the contract', () => {
  const day = 86_400;
  for (const [path, { type, minimum = 0, maximum, maxItems }] of inputs) {
    const rule = inputRuleTexts[path] ?? '';
    const unit = path === 'overlap_seconds' ? day : 1;
    const figures = [
      ...(type === 'integer' ? [minimum / unit, ...(maximum === undefined ? [] : [maximum / unit])] : []),
      ...(maxItems === undefined ? [] : [maxItems]),
    ];
    for (const figure of figures) assert.match(rule, new RegExp(`(?<!\\d)${figure}(?!\\d)`), `${path}: ${rule}`);
  }
  assert.match(inputRuleTexts.mobiles ?? '', new RegExp(` ${maxMobiles} `));
  assert.match(inputRuleTexts.content ?? '', new RegExp(` ${maxSegments} `));
});

test('of one among several the place is told, counted from 1', async () => {
  await languages.changeLanguage('zh-CN');
  assert.equal(refused('mobiles[2]'), `第 3 项：${inputRuleTexts.mobiles}`);
  assert.equal(refused('files[0].base64'), inputRuleTexts['files.base64']);
});

test('a whole path comes before its last part, and that before nothing', async () => {
  await languages.changeLanguage('zh-CN');
  assert.equal(refused('head.mac'), inputRuleTexts['head.mac']);
  assert.equal(refused('files[1].name'), inputRuleTexts.name);
  for (const field of ['of_tomorrow', 'constructor', '', '[2]']) assert.equal(refused(field), 'As it is.');
});

test('each reason to refuse a URL is told in Chinese, and in English in the words of the server', async () => {
  const described = updatePushSetting.description?.split('`reason`')[1] ?? '';
  const reasons = [...described.matchAll(/`(\w+)`/g)].map(([, reason = '']) => reason);
  assert.deepEqual(Object.keys(urlFaultTexts).sort(), reasons.sort());
  const told = (code: string) =>
    faultText(languages, 'urlFaults.*', { code, message: 'As it is.', parameters: { host: '10.1.2.3:81' } });
  await languages.changeLanguage('zh-CN');
  for (const reason of reasons) assert.match(told(reason), /\p{Script=Han}/u);
  for (const reason of ['local_name', 'unresolved', 'not_public', 'own_address']) {
    assert.match(told(reason), /10\.1\.2\.3:81/);
  }
  for (const name of Object.values(pushParameters).flat()) assert.ok(told('parameter').includes(name), name);
  assert.equal(told('of_tomorrow'), 'As it is.');
  await languages.changeLanguage('en');
  for (const reason of reasons) assert.equal(told(reason), 'As it is.');
});
