import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalizedPassword, type PasswordFault, passwordFault } from './password-rules.ts';

const context = { email: 'ann.miller@example.com', host: 'certs.acme.test' };

const cases: readonly [string, PasswordFault | undefined][] = [
  ['', 'too_short'],
  ['unrelated', 'too_short'],
  ['unrelated7', undefined],
  ['correct horse', undefined],
  ['四个不相干的汉字词语啊', undefined],
  ['x9'.concat('unrelated words '.repeat(16)), 'too_long'],
  ['unrelated words '.repeat(15), undefined],
  ['unrelated\u0000words', 'not_text'],
  ['unrelated\nwords', 'not_text'],
  ['unrelated\ud800words', 'not_text'],
  ['password123', 'common'],
  ['P@ssw0rd2024!', 'common'],
  ['!!Welcome2025', 'common'],
  ['iloveyou1234', 'common'],
  ['Liverpool1892', 'common'],
  ['correcthorsebatterystaple', 'common'],
  ['aaaaaaaaaaaa', 'repetitive'],
  ['abababababab', 'repetitive'],
  ['abcabcabcabc', 'repetitive'],
  ['1234567890', 'repetitive'],
  ['9876543210', 'repetitive'],
  ['qwertyuiop123', 'repetitive'],
  ['1q2w3e4r5t6y', 'repetitive'],
  ['ann.miller@example.com', 'context'],
  ['miller2024', 'context'],
  ['Waxwing2024', 'context'],
  ['acme-certs-1', 'context'],
  ['miller likes herons', undefined],
];

for (const [password, fault] of cases) {
  const shown = password.length > 40 ? `${password.slice(0, 20)}… (${password.length})` : JSON.stringify(password);
  test(`${shown} is ${fault ?? 'accepted'}`, () => {
    assert.equal(passwordFault(password, context), fault);
  });
}

test('no composition of kinds of characters is asked for', () => {
  assert.equal(passwordFault('herons nesting quietly', context), undefined);
});

test('length is counted in characters as people see code points, after normalizing', () => {
  assert.equal(passwordFault('🦩🐝🌵🎷🧭🪁🍋🚲🪵', context), 'too_short');
  assert.equal(passwordFault('🦩🐝🌵🎷🧭🪁🍋🚲🪵🧶', context), undefined);
});

test('how a keyboard composes a letter makes no other password', () => {
  assert.equal(normalizedPassword('Mu\u0308ller ﬁsch ２'), 'Müller fisch 2');
});
