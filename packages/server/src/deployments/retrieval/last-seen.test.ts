import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DeploymentActivityRow } from '../../database/schema/certificate-tables.ts';
import { createLastSeen } from './last-seen.ts';

const seenAt = (time: number, more: Partial<DeploymentActivityRow> = {}): DeploymentActivityRow => ({
  organization_id: 'organization',
  deployment_id: 'one',
  last_seen_at: time,
  last_address: '192.0.2.1',
  last_user_agent: 'agent',
  last_version: 'version',
  version_since: time,
  successes: 1,
  not_modified: 0,
  ...more,
});

test('what is seen of a deployment is added up, and the latest answer says from where and with what', () => {
  const seen = createLastSeen();
  seen.add(seenAt(1_000));
  seen.add(seenAt(3_000, { last_address: '192.0.2.2', last_version: 'newer', not_modified: 1 }));
  seen.add(seenAt(2_000, { last_user_agent: 'late', not_modified: 1 }));
  seen.add(seenAt(4_000, { last_address: '192.0.2.2', last_version: 'newer' }));
  assert.deepEqual(seen.deploymentIds(), ['one']);
  assert.deepEqual(seen.take(['one', 'unknown']), [
    seenAt(4_000, {
      ...{ last_address: '192.0.2.2', last_version: 'newer', version_since: 3_000, successes: 4, not_modified: 2 },
    }),
  ]);
  assert.deepEqual(seen.take(['one']), [], 'taken once');
});

test('whatever is seen, taken and added again, nothing is lost and nothing counted twice', () => {
  const id = fc.nat({ max: 60 }).map((number) => `deployment-${number}`);
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.tuple(fc.constant('add'), fc.array(id, { maxLength: 50 })) },
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom('write', 'fail'), fc.array(id, { maxLength: 5 })) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const seen = createLastSeen();
      const [added, written] = [new Map<string, number>(), new Map<string, number>()];
      const count = (counts: Map<string, number>, key: string, successes: number) =>
        counts.set(key, (counts.get(key) ?? 0) + successes);
      const write = (rows: readonly DeploymentActivityRow[]) => {
        for (const row of rows) {
          assert.equal(row.last_address, `of ${row.deployment_id} ${row.last_seen_at}`);
          count(written, row.deployment_id, row.successes);
        }
      };
      const add = (deployment_id: string, now: number) => {
        seen.add(seenAt(now, { deployment_id, last_address: `of ${deployment_id} ${now}` }));
        count(added, deployment_id, 1);
      };
      for (const [now, [what, ids]] of steps.entries()) {
        const taken = what === 'add' ? [] : seen.take(seen.deploymentIds());
        // Also seen while the others are being written.
        for (const each of ids) add(each, now);
        if (what === 'fail') for (const row of taken) seen.add(row);
        else write(taken);
      }
      write(seen.take(seen.deploymentIds()));
      assert.deepEqual(written, added);
      assert.equal(seen.size, 0);
    }),
    { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 2_000 : 100, seed: 20_261_122 },
  );
});
