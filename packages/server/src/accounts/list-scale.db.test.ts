import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../database/testing.ts';
import { fillInstance } from './filled-instance.testing.ts';
import { type Answer, type ManagementWorld, openManagementWorld } from './management-world.testing.ts';

const isFull = process.env.WAXWING_TEST_SCALE === 'full';
const amounts = isFull
  ? { certificates: 10_000, messages: 1_000_000, attempts: 5_000_000, others: 100_000 }
  : { certificates: 300, messages: 3_000, attempts: 6_000, others: 3_000 };
/** Pages of each list that are asked for. */
const pages = isFull ? 100 : 3;
const limitMs = 50;

/** Every list that grows, with each of its filters that leads to a question of its own. `:one` is a thing's id. */
const lists: readonly string[] = [
  'certificates',
  'certificates?state=issued',
  'deployments',
  'messages',
  'messages?status=open',
  'messages?status=REJECTED',
  'messages?status=UNDELIV',
  'messages?status=DELIVRD',
  'messages?mobile=%2B8613800000123',
  'messages?mobile=%2B8613800000123&status=DELIVRD',
  'pushes',
  'pushes?kind=status',
  'pushes?kind=uplink',
  'pushes?state=waiting',
  'pushes?state=delivered',
  'pushes?state=failed',
  'pushes?state=off&kind=status',
  'replies',
  'opt-outs',
  'blocked-numbers',
  'audit',
  'audit?subject=s7',
  'audit?action=private-key.hand-out',
  'audit?actor=deployment:7',
  'audit?until=2025-01-02T00:00:00Z',
];

/** Milliseconds of each page, following the cursors from page to page and beginning again at the end. */
async function measure(world: ManagementWorld, list: string): Promise<{ times: number[]; items: number }> {
  const path = `/organizations/${world.acme}/${list}`;
  const times: number[] = [];
  let items = 0;
  let cursor: unknown = null;
  // The first one warms up: statements are prepared, pages are read.
  for (let page = -1; page < pages; page += 1) {
    const query = typeof cursor === 'string' ? `${list.includes('?') ? '&' : '?'}cursor=${cursor}` : '';
    const { ms, json } = await leastOf(page === -1 ? 1 : 3, () => world.request('owner', 'GET', path + query));
    if (page >= 0) times.push(ms);
    items += (json.items as unknown[]).length;
    cursor = json.next_cursor;
  }
  return { times: times.sort((one, other) => one - other), items };
}

/** What is slow each time is the list; what is slow once is the machine, which does other things as well. */
async function leastOf(times: number, ask: () => Promise<Answer>): Promise<{ ms: number; json: Answer['json'] }> {
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 1; ; tried += 1) {
    const began = performance.now();
    const { status, json, text } = await ask();
    least = Math.min(least, performance.now() - began);
    assert.equal(status, 200, text);
    if (least <= limitMs || tried >= times) return { ms: least, json };
  }
}

const at = (times: readonly number[], share: number) => times[Math.ceil(times.length * share) - 1] ?? 0;

onBothDatabases('lists of a large organization', (_open, kind) => {
  test('each page comes soon, however deep it lies', { timeout: 3_600_000 }, async (t) => {
    const world = await openManagementWorld(t, kind, { settings: {} });
    const { messaging, database } = world.application;
    const setting = (which: 'status' | 'uplink') =>
      messaging.pushSettings.set('test', { organizationId: world.acme, kind: which, url: 'http://127.0.0.1:9/' });
    const [statuses, uplinks] = [await setting('status'), await setting('uplink')];
    const began = performance.now();
    const acme = { id: world.acme, statusSetting: statuses.setting.id, uplinkSetting: uplinks.setting.id };
    await fillInstance(database, acme, amounts);
    t.diagnostic(`${JSON.stringify(amounts)} filled in ${Math.round((performance.now() - began) / 1000)} s`);
    const slow: string[] = [];
    for (const list of lists) {
      const { times, items } = await measure(world, list);
      assert.ok(items > 0 || list.includes('DELIVRD') || list.includes('actor'), `${list} showed nothing`);
      const line = `${list}: p50 ${at(times, 0.5).toFixed(1)} ms, p99 ${at(times, 0.99).toFixed(1)} ms, ${items} items`;
      t.diagnostic(line);
      if (isFull && at(times, 0.99) > limitMs) slow.push(line);
    }
    assert.deepEqual(slow, []);
  });
});
