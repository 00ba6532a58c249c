import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepDraft, takeDraft, watchDraft } from './kept-draft.ts';

function memory() {
  const kept = new Map<string, string>();
  return {
    size: () => kept.size,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

const form = { page: '/o/1/messages/send', read: () => ({ content: '您好' }) };
const ann = { page: form.page, personId: 'ann' };

test('what was being written is there again, once, for the same person on the same page', () => {
  const storage = memory();
  const end = watchDraft(form);
  keepDraft('ann', storage);
  end();
  assert.deepEqual(takeDraft(ann, storage), { content: '您好' });
  assert.equal(takeDraft(ann, storage), undefined);
});

test('nobody else gets it, and no other page', () => {
  for (const other of [
    { ...ann, personId: 'bob' },
    { ...ann, page: '/o/2/messages/send' },
  ]) {
    const storage = memory();
    const end = watchDraft(form);
    keepDraft('ann', storage);
    end();
    assert.equal(takeDraft(other, storage), undefined);
    assert.equal(storage.size(), 0);
  }
});

test('nothing is kept where nobody writes, or of nobody', () => {
  const storage = memory();
  keepDraft('ann', storage);
  const end = watchDraft(form);
  keepDraft(undefined, storage);
  end();
  keepDraft('ann', storage);
  assert.equal(storage.size(), 0);
});
