import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DeploymentActivityRow } from '../database/certificate-tables.ts';
import { createSeenDeployments, type Seen } from './seen-deployments.ts';

const seenBy = (deploymentId: string, more: Partial<Seen> = {}): Seen => ({
  organizationId: 'organization',
  deploymentId,
  versionId: 'version',
  address: '192.0.2.1',
  userAgent: 'agent',
  ...more,
});

test('what is seen of a deployment is added up, and the latest answer says from where and with what', () => {
  const seen = createSeenDeployments();
  seen.add(seenBy('one'), 1_000, false);
  seen.add(seenBy('one', { address: '192.0.2.2', versionId: 'newer' }), 3_000, true);
  seen.add(seenBy('one', { userAgent: 'late' }), 2_000, true);
  assert.deepEqual([...seen.waiting()], ['one']);
  assert.deepEqual(seen.take(['one', 'unknown']), [
    {
      organization_id: 'organization',
      deployment_id: 'one',
      last_seen_at: 3_000,
      last_address: '192.0.2.2',
      last_user_agent: 'agent',
      last_version: 'newer',
      successes: 3,
      not_modified: 2,
    },
  ]);
  assert.deepEqual(seen.take(['one']), [], 'taken once');
});

test('those that come while others are written have their turn the next time', () => {
  const seen = createSeenDeployments();
  for (const id of ['one', 'two']) seen.add(seenBy(id), 1, false);
  const visited: string[] = [];
  for (const id of seen.waiting()) {
    visited.push(id);
    seen.add(seenBy(`after ${id}`), 2, false);
  }
  assert.deepEqual(visited, ['one', 'two']);
  assert.deepEqual([...seen.waiting()], ['one', 'two', 'after one', 'after two']);
});

test('whatever is seen, taken and put back, nothing is lost and nothing counted twice', () => {
  const id = fc.nat({ max: 600 }).map((number) => `deployment-${number}`);
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.tuple(fc.constant('add'), fc.array(id, { maxLength: 50 })) },
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom('write', 'fail'), fc.constant([])) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const seen = createSeenDeployments();
      const [added, written] = [new Map<string, number>(), new Map<string, number>()];
      const count = (counts: Map<string, number>, key: string, successes: number) =>
        counts.set(key, (counts.get(key) ?? 0) + successes);
      let now = 0;
      const write = (rows: readonly DeploymentActivityRow[]) => {
        for (const row of rows) {
          assert.equal(row.last_address, `of ${row.deployment_id} ${row.last_seen_at}`);
          count(written, row.deployment_id, row.successes);
        }
      };
      for (const [what, ids] of steps) {
        now += 1;
        for (const each of ids) {
          seen.add(seenBy(each, { address: `of ${each} ${now}` }), now, false);
          count(added, each, 1);
        }
        if (what === 'add') continue;
        const taken = seen.take([...seen.waiting()]);
        assert.equal(seen.size, 0);
        if (what === 'fail') seen.putBack(taken);
        else write(taken);
      }
      write(seen.take([...seen.waiting()]));
      assert.deepEqual(written, added);
      assert.deepEqual([...seen.waiting()], [], 'and what is not seen any more is forgotten');
    }),
    { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 2_000 : 100, seed: 20_261_122 },
  );
});
