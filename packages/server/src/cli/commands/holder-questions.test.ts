import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeQuestion } from './holder-questions.ts';

const now = 0;
const cases: readonly [before: readonly string[], after: readonly string[], dropped: string | undefined][] = [
  [['10.0.0.0/24'], ['10.0.0.0/16'], undefined],
  [['192.0.2.1', '2001:db8::/48'], ['192.0.2.0/31', '2001:db8::/32'], undefined],
  [['10.0.0.0/24'], ['10.0.0.0/25', '10.0.0.128/25'], undefined],
  [['10.0.0.0/16'], ['10.0.0.0/24'], '10.0.0.0/16'],
  [['10.0.0.0/24', '192.0.2.1'], ['10.0.0.0/16'], '192.0.2.1'],
  [['192.0.2.1'], [], '192.0.2.1'],
];
for (const [before, after, dropped] of cases) {
  test(`an allow-list of ${before} that becomes [${after}] drops ${dropped ?? 'nobody'}`, () => {
    const question = changeQuestion({ name: 'web', enabled: true, allow: before }, { allow: after }, now);
    const told = / will be refused from the next request on: (.*)\.$/.exec(question?.consequence ?? '');
    assert.deepEqual([question === undefined, told?.[1]], [dropped === undefined, dropped]);
  });
}
