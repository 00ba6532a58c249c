import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carrierTestSteps } from './carrier-test-steps.ts';
import type { Protocol } from './carrier-values.ts';

type Name = 'connect' | 'bind' | 'enquire' | 'active-test' | 'submit';

const cases: readonly [what: string, protocol: Protocol, message: boolean, worked: readonly Name[], steps: string][] = [
  ['all works', 'smpp', false, ['connect', 'bind', 'enquire'], 'connect 1, bind 2, enquire 3'],
  [
    'all works with a message',
    ...([
      'cmpp2',
      true,
      ['connect', 'bind', 'active-test', 'submit'],
      'connect 1, bind 2, active-test 3, submit 4',
    ] as const),
  ],
  ['nobody listens', 'smpp', false, [], 'connect failed, bind notTried, enquire notTried'],
  ['the bind is refused', 'cmpp3', true, ['connect'], 'connect 1, bind failed, active-test notTried, submit notTried'],
  [
    'the message is refused',
    'smpp',
    true,
    ['connect', 'bind', 'enquire'],
    'connect 1, bind 2, enquire 3, submit failed',
  ],
];

for (const [what, protocol, message, worked, expected] of cases) {
  test(`${what}: ${expected}`, () => {
    const tested = { ok: !expected.includes('failed'), steps: worked.map((name, place) => ({ name, ms: place + 1 })) };
    const shown = carrierTestSteps(protocol, message, tested).map((step) =>
      [step.name, step.state === 'worked' ? step.ms : step.state].join(' '),
    );
    assert.equal(shown.join(', '), expected);
  });
}
