import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInstance } from 'i18next';
import { chinese } from '../../i18n/all-texts.ts';
import { workerName } from './worker-name.ts';

const languages = createInstance();
await languages.init({ lng: 'zh-CN', resources: { 'zh-CN': { translation: chinese } }, fallbackLng: false });

test('a worker is told by what it does, and of which carrier', () => {
  assert.equal(workerName(languages, 'push-retention'), '推送记录清理');
  assert.equal(workerName(languages, 'submit simulator'), '短信提交 simulator');
});

test('a worker of another version is shown by its code', () => {
  for (const name of ['of-tomorrow', 'constructor', 'a.b', '', 'push: x'])
    assert.equal(workerName(languages, name), name);
});
