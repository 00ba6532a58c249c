import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReadiness } from './probes.ts';

test('a look that does not end counts as not in order after two seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const endless = () => new Promise<boolean>(() => {});
  const readiness = createReadiness({ needed: { fine: () => true, disk: endless } })();
  t.mock.timers.tick(2_000);
  assert.deepEqual(await readiness, { ready: false, reasons: ['disk'], warnings: [] });
});
