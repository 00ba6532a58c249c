import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from './alert-rules.ts';
import { type Decision, type Known, keyOf, repeatAfterMs, type Situation, whatToTell } from './what-to-tell.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);

const expiring = (stage: number, over: Partial<Condition> = {}): Condition => ({
  ...{ type: 'certificate.expiring', organizationId: 'o', aboutId: 'c', notice: 'certificate_expiring' },
  parameters: { certificate: 'shop', days: 30, until: '2026-01-31T00:00:00.000Z', deployments: 1 },
  ...{ stage, repeats: false },
  ...over,
});
const disk: Condition = {
  ...{ type: 'instance.disk', organizationId: '', aboutId: 's', notice: 'instance_disk' },
  ...{ parameters: { server: 's', percent: 9, mebibytes: 100 }, stage: 0, repeats: true },
};
const rollout = (mark: string, at = start): Condition => ({
  ...{ type: 'certificate.rollout-complete', organizationId: 'o', aboutId: 'c', notice: 'rollout_complete' },
  ...{ parameters: { certificate: 'shop', version: 2, deployments: 1 }, stage: 0, repeats: false },
  event: { mark, at },
});

/** Looks one after the other: what each tells, and what is known then. */
function story() {
  let known: readonly Known[] = [];
  return {
    get known() {
      return known;
    },
    look(now: number, conditions: readonly Condition[], more: Partial<Situation> = {}): string[] {
      const situation = { now, conditions, unchanged: new Set<string>(), known, isHeard: () => true, ...more };
      const decision = whatToTell(situation);
      known = apply(known, decision);
      return decision.tell.map(({ type, notice }) => `${type} ${notice}`);
    },
  };
}

function apply(known: readonly Known[], { keep, forget }: Decision): readonly Known[] {
  const rows = new Map(known.map((each) => [keyOf(each), each]));
  for (const each of keep) rows.set(keyOf(each), each);
  for (const each of forget) rows.delete(keyOf(each));
  return [...rows.values()];
}

test('what is new is told at once, once, and when it is over', () => {
  const { look } = story();
  assert.deepEqual(look(start, [disk]), ['instance.disk instance_disk']);
  assert.deepEqual(look(start + 60_000, [disk]), []);
  assert.deepEqual(look(start + 120_000, []), ['instance.disk.resolved instance_disk_resolved']);
  assert.deepEqual(look(start + 180_000, []), []);
});

test('what lasts is told again after 1, 2, 4 and then every 7 days', () => {
  const { look } = story();
  const told = Array.from({ length: 41 }, (_, days) => (look(start + days * day, [disk]).length > 0 ? [days] : []));
  assert.deepEqual(told.flat(), [0, 1, 3, 7, 14, 21, 28, 35]);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((times) => repeatAfterMs(times) / day),
    [1, 2, 4, 7, 7],
  );
});

test('a certificate is told when it gets worse, and after its end by time', () => {
  const { look } = story();
  const stages = [1, 1, 2, 2, 3, 5, 6, 6, 6, 6, 6];
  const told = stages.map(
    (stage, days) => look(start + days * day, [expiring(stage, { repeats: stage === 6 })]).length,
  );
  assert.deepEqual(told, [1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0]);
});

test('a certificate that is less near its end than before is told of when it comes near again', () => {
  const world = story();
  world.look(start, [expiring(6, { repeats: true })]);
  assert.deepEqual(world.look(start + day / 2, [expiring(1)]), []);
  assert.deepEqual(world.look(start + 9 * day, [expiring(1)]), []);
  assert.equal(world.look(start + 16 * day, [expiring(2)]).length, 1);
});

test('what nobody hears is listed once, and told to the first who listens', () => {
  const world = story();
  const silent = { isHeard: () => false };
  assert.deepEqual(world.look(start, [disk], silent), ['instance.disk instance_disk']);
  assert.deepEqual(world.look(start + 2 * day, [disk], silent), []);
  assert.equal(world.known[0]?.toldAt, null);
  assert.deepEqual(world.look(start + 3 * day, [disk]), ['instance.disk instance_disk']);
  assert.deepEqual(world.look(start + 3 * day + 1, [disk]), []);
  const other = story();
  other.look(start, [expiring(1)], silent);
  assert.equal(other.look(start + day, [expiring(2)], silent).length, 1, 'what gets worse is listed again');
  assert.deepEqual(other.look(start + day, []), ['certificate.expiring.resolved certificate_expiring_resolved']);
  assert.deepEqual(other.known, []);
});

test('what cannot be decided goes on, and is told again when it is time', () => {
  const world = story();
  world.look(start, [disk]);
  const unchanged = new Set([keyOf(disk)]);
  assert.deepEqual(world.look(start + 60_000, [], { unchanged }), []);
  assert.deepEqual(world.look(start + day, [], { unchanged }), ['instance.disk instance_disk']);
  assert.deepEqual(world.look(start + 2 * day, []), ['instance.disk.resolved instance_disk_resolved']);
});

test('an event is told once for each version, and has no end', () => {
  const world = story();
  assert.deepEqual(world.look(start, [rollout('v2')]), ['certificate.rollout-complete rollout_complete']);
  assert.deepEqual(world.look(start + day, [rollout('v2')]), []);
  assert.deepEqual(world.look(start + 2 * day, []), []);
  assert.deepEqual(world.look(start + 3 * day, [rollout('v3')]), ['certificate.rollout-complete rollout_complete']);
});

test('an event that nobody was there to hear is not told later', () => {
  const world = story();
  const since = start + day;
  const isHeard: Situation['isHeard'] = (_, eventAt) => eventAt === undefined || eventAt >= since;
  assert.deepEqual(world.look(start + 2 * day, [rollout('v2')], { isHeard }), []);
  assert.deepEqual(world.known, []);
  assert.equal(world.look(start + 3 * day, [rollout('v3', start + 3 * day)], { isHeard }).length, 1);
});

test('the end of something keeps only what it says', () => {
  const situation = { now: start, unchanged: new Set<string>(), isHeard: () => true };
  const known = apply([], whatToTell({ ...situation, conditions: [expiring(1)], known: [] }));
  const decision = whatToTell({ ...situation, conditions: [], known });
  assert.deepEqual(decision.tell, [
    {
      ...{ type: 'certificate.expiring.resolved', organizationId: 'o', aboutId: 'c' },
      ...{ notice: 'certificate_expiring_resolved', parameters: { certificate: 'shop' } },
      endOf: known[0],
    },
  ]);
});
