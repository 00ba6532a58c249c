import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { openMessagesWorld } from '../messages-world.testing.ts';
import { createMessagingFacts } from './known-senders.ts';
import { createBlockedLists } from './manage-blocked-lists.ts';

onBothDatabases('words that are blocked for all', (open) => {
  test('hold for an organization that is read while their list is changed', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, feed, audit, time, organizationId, otherOrganizationId } = world;
    const lists = createBlockedLists({ database, feed, audit, clock: time.clock });
    await lists.addWord('test', '', 'casino');

    // The same queries on the same database; behind the one for blocked words something may happen.
    let meanwhile: (() => Promise<unknown>) | undefined;
    const isAsked = new WeakMap<object, boolean>();
    const db = database.db.withPlugin({
      transformQuery({ node, queryId }) {
        isAsked.set(queryId, JSON.stringify(node).includes('"blocked_word"'));
        return node;
      },
      async transformResult({ result, queryId }) {
        if (isAsked.get(queryId) && meanwhile !== undefined) {
          const work = meanwhile;
          meanwhile = undefined;
          await work();
        }
        return result;
      },
    });
    const facts = createMessagingFacts({ db, feed, maxEntries: 100 });
    assert.equal((await facts.senders.load(organizationId))?.blockedWord('a casino'), 'casino');

    // Another organization is read for the first time, and meanwhile somebody blocks one more word.
    meanwhile = () => lists.addWord('test', '', 'lottery');
    const sender = await facts.senders.load(otherOrganizationId);
    assert.equal(sender?.blockedWord('a casino'), 'casino', 'blocked all the time');
  });
});
