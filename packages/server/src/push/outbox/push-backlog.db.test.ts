import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillTable } from '../../database/sql/query-plan.testing.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { newId } from '../../runtime/clock.ts';
import { accept, openPushWorld, type PushWorld, pointTo, statusOf } from '../push-world.testing.ts';
import { toStoredContent } from './push-event.ts';

const BACKLOG = process.env.WAXWING_TEST_SCALE === 'full' ? 100_000 : 20_000;

/** So that a fault is seen and told instead of waited for. */
const patienceMs = 60_000;

onBothDatabases('a backlog', (open) => {
  test('of a dead receiver slows nobody else down, and memory holds a few of it', async (t) => {
    const world = await openPushWorld(t, open);
    await using dead = await startTrialReceiver();
    dead.serve = () => {};
    await using alive = await startTrialReceiver();
    const deadSetting = await pointTo(world, world.organizationId, dead.port);
    await pointTo(world, world.otherOrganizationId, alive.port);
    await addBacklog(world, deadSetting, BACKLOG);
    const engine = world.engine();
    await engine.beat();
    await engine.look();
    const looksUntil = async (isSo: () => boolean) => {
      const deadline = performance.now() + patienceMs;
      while (!isSo()) {
        assert.ok(performance.now() < deadline, `nothing more came; logged: ${world.log.join(' | ')}`);
        await engine.look();
      }
    };
    await looksUntil(() => dead.requests.length >= 1);
    await accept(world, ...Array.from({ length: 200 }, (_, index) => statusOf(world.otherOrganizationId, `b${index}`)));
    await looksUntil(() => alive.requests.length >= 200);
    const { state, running = 0 } = engine.laneStatus(deadSetting) ?? {};
    assert.equal(state, 'open');
    assert.ok(running <= 1, `${running}`);
    // Those of the living one are known until their outcomes are recorded.
    await looksUntil(() => engine.gauges().inMemory < 200);
    await engine.stop();
    assert.equal((await world.waiting()).length, BACKLOG);
  });
});

/** Waiting pushes, written past the outbox. */
async function addBacklog(world: PushWorld, settingId: string, count: number): Promise<void> {
  const { organizationId, database, clock } = world;
  const { shard } = await database.db
    .selectFrom('push_setting')
    .select('shard')
    .where('id', '=', settingId)
    .executeTakeFirstOrThrow();
  const at = clock.now();
  const payload = toStoredContent(statusOf(organizationId));
  await fillTable(database, 'push', count, () => ({
    ...{ organization_id: organizationId, id: newId(at), setting_id: settingId, shard, due_at: at, queued_at: at },
    ...{ created_at: at, attempts: 0, attempts_before: 0, payload },
  }));
}
