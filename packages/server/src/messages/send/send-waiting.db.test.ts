import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { onBothDatabases } from '../../database/testing.ts';
import type { Answer } from '../../http/wire.testing.ts';
import { createOrganizations, type Organizations } from '../../organizations/organization.ts';
import type { ProblemCode } from '../../runtime/problem.ts';
import { createMessagingKeys, type MessagingKeys } from '../senders/manage-messaging-keys.ts';
import { createMessagingSettings } from '../senders/messaging-settings.ts';
import { type HttpWorld, openHttpWorld } from './messages-http.testing.ts';

/** What another server changes. */
interface Elsewhere {
  readonly keys: MessagingKeys;
  readonly organizations: Organizations;
  readonly organizationId: string;
}
type Change = (elsewhere: Elsewhere) => Promise<unknown>;

const changes: readonly (readonly [
  name: string,
  change: (elsewhere: Elsewhere, keyId: string) => Promise<unknown>,
  refusal: ProblemCode,
])[] = [
  ['its key is disabled', ({ keys }, id) => keys.update('test', id, { enabled: false }), 'invalid_token'],
  ['its key is deleted', ({ keys }, id) => keys.delete('test', id), 'invalid_token'],
  ['its token is rotated', ({ keys }, id) => keys.rotate('test', id, 0), 'invalid_token'],
  [
    'its address is removed',
    ({ keys }, id) => keys.update('test', id, { allow: ['192.0.2.1'] }),
    'address_not_allowed',
  ],
  [
    'its organization is suspended',
    ({ organizations, organizationId }) => organizations.setSuspended('test', organizationId, true),
    'invalid_token',
  ],
];

onBothDatabases('a request that waits for its commit', (open) => {
  for (const [name, change, refusal] of changes) {
    test(`is refused when ${name} meanwhile, and nothing of it is accepted`, async (t) => {
      const http = await openHttpWorld(t, open);
      const { id, bearer } = await http.newKey();
      const [answer] = await postWhile(http, (elsewhere) => change(elsewhere, id), bearer);
      assert.equal(answer?.text, http.refusal(refusal));
      for (const table of ['message_batch', 'message', 'message_part', 'daily_usage'] as const) {
        assert.deepEqual(await http.world.database.db.selectFrom(table).selectAll().execute(), [], table);
      }
    });
  }

  for (const messagesPerDay of [null, 10]) {
    const quota = messagesPerDay === null ? 'without a quota' : 'with a quota';
    test(`is accepted ${quota} when only another of the same commit may send no more`, async (t) => {
      const http = await openHttpWorld(t, open);
      const { world } = http;
      const settings = createMessagingSettings({ ...world, clock: world.time.clock });
      await settings.update('test', world.organizationId, { messagesPerDay });
      const [kept, ended] = [await http.newKey(), await http.newKey()];
      const disable: Change = ({ keys }) => keys.update('test', ended.id, { enabled: false });
      const [accepted, refused] = await postWhile(http, disable, kept.bearer, ended.bearer);
      assert.equal(accepted?.status, 200);
      assert.equal(refused?.text, http.refusal('invalid_token'));
      const rows = await world.database.db.selectFrom('message_batch').select('key_id').execute();
      assert.deepEqual(rows, [{ key_id: kept.id }]);
    });
  }
});

/** Posts while the database stands still, and another server's change waits with it. */
async function postWhile(http: HttpWorld, change: Change, ...bearers: readonly string[]): Promise<Answer[]> {
  const { world } = http;
  const { audit, time, organizationId } = world;
  let begun = () => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const database: Database = {
    ...world.database,
    transaction(work) {
      setImmediate().then(begun);
      return world.database.transaction(work);
    },
  };
  const needs = { database, feed: (await world.node(database)).feed, audit, clock: time.clock };
  const elsewhere = { keys: createMessagingKeys(needs), organizations: createOrganizations(needs), organizationId };

  // From here on this server has their keys in memory.
  for (const bearer of bearers) assert.equal((await http.ask('GET /api/messages/events', bearer)).status, 200);
  const end = await holdCommits(world.database);
  const changed = change(elsewhere);
  // On SQLite the change waits for the writer, as the request will do behind it.
  await (database.dialect === 'postgres' ? changed : isBegun);
  const letIn = http.letIn() + 2 * bearers.length;
  const answers = bearers.map((bearer) => http.post({ mobile: '+8613800138000', content: 'Hello' }, bearer));
  while (http.letIn() < letIn) await setImmediate();
  await end();
  await changed;
  return Promise.all(answers);
}

/** No request is accepted until the end. */
async function holdCommits(database: Database): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const enough = Promise.withResolvers<void>();
  const holding = database.transaction(async (trx) => {
    if (database.dialect === 'postgres') await sql`lock table message_batch in access exclusive mode`.execute(trx);
    held.resolve();
    await enough.promise;
  });
  await held.promise;
  return () => {
    enough.resolve();
    return holding;
  };
}
