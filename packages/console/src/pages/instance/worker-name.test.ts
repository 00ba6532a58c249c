import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInstance } from 'i18next';
import { chinese } from '../../i18n/all-texts.ts';
import { workerName } from './worker-name.ts';

const languages = createInstance();
await languages.init({ lng: 'zh-CN', resources: { 'zh-CN': { translation: chinese } }, fallbackLng: false });

const nameOf = (id: string) => (id === '01a1' ? '联通 Unicom' : id);

test('a worker is told by what it does, and of which carrier', () => {
  assert.equal(workerName(languages, 'push-retention', nameOf), '推送记录清理');
  assert.equal(workerName(languages, 'submit simulator', nameOf), '短信提交 simulator');
  assert.equal(workerName(languages, 'submit 01a1', nameOf), '短信提交 联通 Unicom');
  assert.equal(workerName(languages, 'carrier 联通 Unicom', nameOf), '通道连接 联通 Unicom');
});

test('a worker of another version is shown by its code', () => {
  for (const name of ['of-tomorrow', 'constructor', 'a.b', '', 'push: x'])
    assert.equal(workerName(languages, name, nameOf), name);
});
