import assert from 'node:assert/strict';
import { test } from 'node:test';
import { droppedDomains } from './certificate.ts';

test('domains that are covered no more are found in their order, going through the others once', () => {
  let seen = 0;
  function* covered() {
    for (const domain of ['c.example', 'x.example', 'a.example']) {
      seen += 1;
      yield domain;
    }
  }
  const former = ['d.example', 'c.example', 'b.example', 'a.example'];
  assert.deepEqual(droppedDomains(former, covered()), ['d.example', 'b.example']);
  assert.equal(seen, 3);
});
