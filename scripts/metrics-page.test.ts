import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applicationOn } from '../packages/server/src/cli/application.testing.ts';
import { startServer } from '../packages/server/src/start-server.ts';
import { describe, describedMetrics } from './metrics-page.ts';

test('docs/metrics.md has every metric that a server registers, and no other', async (context) => {
  const open = await applicationOn(context, 'sqlite', { WAXWING_LISTEN: '127.0.0.1:0' });
  const application = await open();
  const server = await startServer(application);
  const registered = describe(application.telemetry.metrics);
  await server.stop();
  const sorted = registered.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  assert.deepEqual(describedMetrics(), sorted);
  assert.ok(sorted.every(({ help }) => help.endsWith('.')));
});
