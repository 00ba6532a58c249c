import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../database/database.ts';
import { assertNoWaste, fillTable } from '../../../database/sql/query-plan.testing.ts';
import { onBothDatabases } from '../../../database/testing.ts';
import { type AcmeWorld, openAcmeWorld } from '../acme-world.testing.ts';
import { failure } from '../fake-authority.testing.ts';
import {
  countFailing,
  countPlanned,
  listFailing,
  listPlanned,
  type RenewalPart,
  type RenewalSpan,
} from './renewal-store.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const all = { organizationId: undefined, take: 10, after: undefined } satisfies RenewalPart;
const always: RenewalSpan = { since: undefined, until: undefined };

onBothDatabases('the renewals to come', (open) => {
  async function listed(world: AcmeWorld, failing: boolean, part: Partial<RenewalPart> = {}, span = always) {
    const found = await world.requests.listRenewals({ ...all, ...part }, { failing, ...span });
    return found.map(({ renewal }) => renewal.name);
  }

  test('are in the order of their time, page after page, those that fail apart', async (t) => {
    const world = await openAcmeWorld(t, open);
    for (const name of ['one', 'two', 'three']) {
      await world.request({ name, domains: [`${name}.example.com`] });
      await world.pass(hour);
    }
    world.authority.look = async () => false;
    const failed = await world.request({ name: 'failed', domains: ['failed.example.com'] });
    await world.pass(minute);
    assert.deepEqual(await listed(world, false), ['one', 'two', 'three']);
    assert.deepEqual(await listed(world, true), ['failed']);

    const [first] = await world.requests.listRenewals({ ...all, take: 1 }, { failing: false, ...always });
    const [at = 0, certificateId = ''] = first?.place ?? [];
    assert.deepEqual(await listed(world, false, { after: { at, certificateId } }), ['two', 'three']);
    const { next_at, last_error } = first?.renewal.renewal ?? {};
    assert.equal(Date.parse(next_at ?? ''), at);
    assert.equal(last_error, null);
    assert.equal(first?.renewal.authority.name, 'ca');
    const span = { since: at + 1, until: at + hour + 1 };
    assert.deepEqual(await listed(world, false, {}, span), ['two']);
    assert.deepEqual(await listed(world, false, { organizationId: 'other' }), []);
    assert.deepEqual(await listed(world, true, { organizationId: 'other' }), []);

    const [{ renewal } = {}] = await world.requests.listRenewals(all, { failing: true, ...always });
    assert.deepEqual([renewal?.state, renewal?.renewal.last_error], ['failed', 'The proof was not found.']);
    await world.database.db.updateTable('certificate').set({ state: 'revoked' }).where('id', '=', failed).execute();
    assert.deepEqual(await listed(world, true), [], 'nothing follows after a revocation');
  });

  test('one that fails is told with the reason, and planned again once it is renewed', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request({ name: 'shop' });
    await world.pass(minute);
    world.authority.before = (call) => (call === 'placeOrder' ? failure('too many certificates') : undefined);
    await world.requests.renew('test', id);
    await world.pass(minute);
    const [{ renewal } = {}] = await world.requests.listRenewals(all, { failing: true, ...always });
    assert.deepEqual([renewal?.state, renewal?.renewal.last_error], ['issued', 'too many certificates']);
    assert.deepEqual(await listed(world, false), []);
    world.authority.before = () => undefined;
    await world.requests.renew('test', id);
    await world.pass(hour);
    assert.deepEqual([await listed(world, true), await listed(world, false)], [[], ['shop']]);
  });

  test('are counted by the day of the person who looks; what is overdue is of today', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request();
    const other = await world.request({ domains: ['other.example.com'] });
    await world.pass(minute);
    const plan = (certificate: string, next_at: number) =>
      world.database.db
        .updateTable('certificate_request')
        .set({ next_at })
        .where('certificate_id', '=', certificate)
        .execute();
    await plan(id, Date.UTC(2026, 0, 2, 17));
    await plan(other, Date.UTC(2025, 11, 31));
    const planned = async (offsetMs: number, organizationId?: string) =>
      (await world.requests.countRenewals(organizationId, offsetMs)).days;
    assert.deepEqual(await planned(0), [
      { day: '2026-01-01', planned: 1 },
      { day: '2026-01-02', planned: 1 },
    ]);
    assert.deepEqual((await planned(8 * hour)).at(-1), { day: '2026-01-03', planned: 1 });
    assert.deepEqual((await planned(-8 * hour)).at(0), { day: '2025-12-31', planned: 1 });
    assert.deepEqual(await planned(0, 'other'), []);
    await plan(id, world.clock.now() + 90 * day);
    assert.equal((await planned(0)).length, 1, 'only the coming ninety days');
    const { failing, from } = await world.requests.countRenewals(world.organizationId, 0);
    assert.deepEqual([failing, from], [0, '2026-01-01']);
  });

  test('are found by an index, in one organization and in all', async (t) => {
    const { database } = await openAcmeWorld(t, open);
    const count = 2_000;
    await fillTable(database, 'certificate_request', count, (number) => ({
      ...{ organization_id: `o${number % 4}`, certificate_id: `c${number}`, authorities: '["a"]', authority_index: 0 },
      ...{ domains: '[]', challenge: 'http-01', dns_provider_id: null, key_kind: 'ec256', keep_key: 0, profile: null },
      ...{ next_at: number * hour, window_start: null, window_end: null, ari_next_at: null },
      ...{ attempts: number % 10 === 0 ? 1 : 0, last_error: null, last_error_at: number, order_id: null },
      ...{ issued_by: null, created_at: 1, updated_at: 1 },
    }));
    const part = { take: 51, after: { at: 100 * hour, certificateId: 'c100' } };
    const span = { since: 10 * hour, until: 500 * hour };
    const questions = {
      'planned of one': ({ db }: Database) => listPlanned(db, { ...part, organizationId: 'o1' }, span),
      'planned of all': ({ db }: Database) => listPlanned(db, { ...part, organizationId: undefined }, span),
      'failing of one': ({ db }: Database) => listFailing(db, { ...part, organizationId: 'o1' }),
      'failing of all': ({ db }: Database) => listFailing(db, { ...part, organizationId: undefined }),
      'count of failing': ({ db }: Database) => countFailing(db, 'o1'),
      'count of planned': ({ db }: Database) => countPlanned(db, 'o1', { until: 500 * hour, offsetMs: hour }),
      'count of all': ({ db }: Database) => countPlanned(db, undefined, { until: 500 * hour, offsetMs: hour }),
    };
    await assertNoWaste(database, questions, {
      isLarge: (table) => table === 'certificate_request',
      planner: 'pressed',
      // Days are put together in memory, and equal times in the order of their ids.
      allows: (question, { kind }) => kind === 'part-sort' || question === 'count of all',
    });
  });
});
