import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../database/testing.ts';
import { Problem } from '../runtime/problem.ts';
import { recordReplies } from './delivery/apply-reply.ts';
import { createMessages } from './history/manage-messages.ts';
import { hourMs, type MessagesWorld, openMessagesWorld } from './messages-world.testing.ts';
import { createBlockedLists } from './senders/manage-blocked-lists.ts';
import { createMessagingKeys } from './senders/manage-messaging-keys.ts';
import { createOptOuts } from './senders/manage-opt-outs.ts';
import { createMessagingSettings } from './senders/messaging-settings.ts';

onBothDatabases('managing how messages are sent', (open) => {
  const needsOf = ({ database, feed, audit, time }: MessagesWorld) => ({ database, feed, audit, clock: time.clock });
  const failsWith = (code: string, field: string) => (error: unknown) =>
    error instanceof Problem && error.code === code && error.field === field;
  const audited = async ({ audit, organizationId }: MessagesWorld) =>
    (await audit.list({ organizationId, limit: 20 })).map(({ action, detail }) => [action, JSON.parse(detail)]);

  test('a messaging key: created, changed, rotated with an overlap, deleted, each on the record', async (t) => {
    const world = await openMessagesWorld(t, open);
    const keys = createMessagingKeys(needsOf(world));
    const { messagingKey, token } = await keys.create('test', {
      organizationId: world.organizationId,
      name: ' Shop ',
      allow: ['203.0.113.7', '2001:db8::/32'],
    });
    assert.match(token.reveal(), /^wxm_/);
    const time = '2026-03-01T12:00:00.000Z';
    assert.deepEqual(messagingKey, {
      id: messagingKey.id,
      organization_id: world.organizationId,
      name: 'Shop',
      enabled: true,
      permitted: true,
      query_token: true,
      allow: ['203.0.113.7', '2001:db8::/32'],
      expires_at: null,
      created_at: time,
      updated_at: time,
    });
    const { id } = messagingKey;
    await world.time.advance(hourMs);
    const updated = await keys.update('test', id, { name: 'Store', enabled: false, allow: [] });
    assert.deepEqual(
      [updated.name, updated.enabled, updated.allow, updated.updated_at],
      ['Store', false, [], '2026-03-01T13:00:00.000Z'],
    );
    const rotated = await keys.rotate('test', id, hourMs);
    assert.notEqual(rotated.token.reveal(), token.reveal());
    assert.equal(rotated.formerValidUntil, '2026-03-01T14:00:00.000Z');
    const shown = await keys.show(id);
    assert.deepEqual(
      shown.tokens.map(({ expires_at }) => expires_at),
      [null, '2026-03-01T14:00:00.000Z'],
    );
    assert.ok(!JSON.stringify(shown).includes(token.reveal()));
    assert.deepEqual(
      (await keys.list(world.organizationId)).map((key) => key.id),
      [id],
    );
    assert.deepEqual(await keys.list(world.otherOrganizationId), []);
    await keys.delete('test', id);
    assert.deepEqual(await keys.list(), []);
    assert.deepEqual(await world.database.db.selectFrom('token').selectAll().execute(), []);
    assert.deepEqual((await audited(world)).slice(0, 4), [
      ['messaging-key.delete', { name: 'Store' }],
      ['messaging-key.rotate', { overlap_seconds: 3600 }],
      ['messaging-key.update', { name: 'Store', enabled: false, allow: [] }],
      ['messaging-key.create', { name: 'Shop', allow: ['203.0.113.7', '2001:db8::/32'] }],
    ]);
  });

  test('what is wrong with a messaging key is named, and nothing is stored', async (t) => {
    const world = await openMessagesWorld(t, open);
    const keys = createMessagingKeys(needsOf(world));
    const good = { organizationId: world.organizationId, name: 'Shop', allow: [] };
    await assert.rejects(
      keys.create('test', { ...good, organizationId: 'nobody' }),
      failsWith('not_found', 'organization'),
    );
    await assert.rejects(keys.create('test', { ...good, name: ' ' }), failsWith('invalid_parameter', 'name'));
    await assert.rejects(keys.create('test', { ...good, allow: ['x'] }), failsWith('invalid_parameter', 'allow'));
    const { messagingKey } = await keys.create('test', good);
    const { id } = messagingKey;
    await assert.rejects(keys.update('test', id, {}), failsWith('invalid_parameter', 'update'));
    await assert.rejects(keys.update('test', id, { expiresAt: -1 }), failsWith('invalid_parameter', 'expires_at'));
    await assert.rejects(keys.rotate('test', id, -1), failsWith('invalid_parameter', 'overlap'));
    for (const act of [
      () => keys.show('x'),
      () => keys.update('test', 'x', { name: 'y' }),
      () => keys.delete('test', 'x'),
    ]) {
      await assert.rejects(act, failsWith('not_found', 'messaging_key'));
    }
    assert.equal((await keys.list()).length, 1);
  });

  test('region and quotas are set one by one and taken away again', async (t) => {
    const world = await openMessagesWorld(t, open);
    const settings = createMessagingSettings(needsOf(world));
    const id = world.organizationId;
    const none = { organization_id: id, default_region: null, messages_per_second: null, messages_per_day: null };
    assert.deepEqual(await settings.show(id), none);
    await settings.update('test', id, { defaultRegion: 'cn', messagesPerSecond: 10 });
    const set = await settings.update('test', id, { messagesPerDay: 1_000 });
    assert.deepEqual(set, {
      organization_id: id,
      default_region: 'CN',
      messages_per_second: 10,
      messages_per_day: 1_000,
    });
    assert.deepEqual(await settings.show(id), set);
    await settings.update('test', id, { defaultRegion: null, messagesPerSecond: null, messagesPerDay: null });
    assert.deepEqual(await settings.show(id), none);
    await assert.rejects(
      settings.update('test', id, { defaultRegion: 'XX' }),
      failsWith('invalid_parameter', 'default_region'),
    );
    await assert.rejects(
      settings.update('test', id, { messagesPerDay: 0 }),
      failsWith('invalid_parameter', 'messages_per_day'),
    );
    await assert.rejects(settings.show('nobody'), failsWith('not_found', 'organization'));
  });

  test('lists of numbers and words: paged, told apart by organization, no number in the audit trail', async (t) => {
    const world = await openMessagesWorld(t, open);
    const lists = createBlockedLists(needsOf(world));
    const optOuts = createOptOuts(needsOf(world));
    const id = world.organizationId;
    for (const digit of [2, 0, 1, 0]) {
      await optOuts.add('test', id, `+86 138 0013 800${digit}`);
      await lists.addNumber('test', id, `+861380013800${digit}`);
    }
    const numbers = ['+8613800138000', '+8613800138001', '+8613800138002'];
    const page = { after: '+8613800138000', limit: 1 };
    assert.deepEqual(
      (await optOuts.list(id, { limit: 10 })).map(({ number }) => number),
      numbers,
    );
    assert.deepEqual(
      (await optOuts.list(id, page)).map(({ number }) => number),
      [numbers[1]],
    );
    assert.deepEqual(
      (await lists.listNumbers(id, page)).map(({ number }) => number),
      [numbers[1]],
    );
    assert.deepEqual(await optOuts.list(world.otherOrganizationId, { limit: 10 }), []);
    await lists.addWord('test', '', ' Casino ');
    assert.deepEqual(
      (await lists.pageOfWords('', { limit: 10 })).map(({ word }) => word),
      ['Casino'],
    );
    assert.deepEqual(await lists.pageOfWords(id, { limit: 10 }), []);
    await assert.rejects(lists.addWord('test', id, '\u200b'), failsWith('invalid_parameter', 'word'));
    await assert.rejects(lists.removeWord('test', id, 'Casino'), failsWith('not_found', 'word'));
    await assert.rejects(lists.removeNumber('test', '', '+8613800138000'), failsWith('not_found', 'number'));
    await assert.rejects(optOuts.add('test', id, 'x'), failsWith('invalid_parameter', 'number'));
    await optOuts.remove('test', id, '+8613800138000');
    await assert.rejects(optOuts.remove('test', id, '+8613800138000'), failsWith('not_found', 'number'));
    assert.doesNotMatch(JSON.stringify(await world.audit.list({ limit: 100 })), /13800138/);
  });

  test('a word that is blocked in another writing is the same entry, of an organization and of all', async (t) => {
    const world = await openMessagesWorld(t, open);
    const lists = createBlockedLists(needsOf(world));
    for (const owner of [world.organizationId, '']) {
      const first = await lists.addWord('test', owner, 'ASS');
      await world.time.advance(1_000);
      for (const writing of ['ASS', 'ass', ' ａｓｓ', 'a\u200bss', 'aß']) {
        assert.deepEqual(await lists.addWord('test', owner, writing), first, writing);
      }
      await lists.addWord('test', owner, 'as');
      assert.deepEqual(
        (await lists.pageOfWords(owner, { limit: 10 })).map(({ word }) => word),
        ['ASS', 'as'],
      );
    }
    assert.deepEqual(await lists.removeWord('test', world.organizationId, 'ａss'), { word: 'ａss' });
    const left = async (owner: string) => (await lists.pageOfWords(owner, { limit: 10 })).map(({ word }) => word);
    assert.deepEqual(await left(world.organizationId), ['as']);
    assert.deepEqual(await left(''), ['ASS', 'as']);
    await assert.rejects(lists.removeWord('test', world.organizationId, 'ass'), failsWith('not_found', 'word'));
    await assert.rejects(lists.removeWord('test', world.organizationId, '\u200b'), failsWith('not_found', 'word'));
    assert.deepEqual((await audited(world))[0], ['blocked-word.remove', { word: 'ASS' }]);
  });

  test('a word that was added in several writings before is removed in all of them', async (t) => {
    const world = await openMessagesWorld(t, open);
    const lists = createBlockedLists(needsOf(world));
    const { db } = world.database;
    const writings = ['ASS', 'ass', 'ａｓｓ', 'mule'];
    const rows = [world.organizationId, ''].flatMap((organization_id) =>
      writings.map((word, created_at) => ({ organization_id, word, created_at })),
    );
    await db.insertInto('blocked_word').values(rows).execute();
    const refused = async () => world.messagesOf(await world.sendTo(['+8613800138000'], 'an ass'));
    await lists.removeWord('test', '', 'Ass');
    assert.equal((await refused())[0]?.memo, 'blocked word: ａｓｓ');
    await lists.removeWord('test', world.organizationId, 'ass');
    assert.equal((await refused())[0]?.memo, null);
    for (const owner of [world.organizationId, '']) {
      assert.deepEqual(
        (await lists.pageOfWords(owner, { limit: 10 })).map(({ word }) => word),
        ['mule'],
      );
    }
    const removed = (await audited(world)).filter(([action]) => action === 'blocked-word.remove');
    assert.deepEqual(removed.map(([, { word }]) => word).sort(), writings.slice(0, 3).sort());
  });

  test('on a full list of words, those it has can still be added', async (t) => {
    const world = await openMessagesWorld(t, open);
    const lists = createBlockedLists(needsOf(world));
    const organization_id = world.organizationId;
    for (let from = 0; from < 10_000; from += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, n) => ({
        organization_id,
        word: `W${from + n}`,
        created_at: from,
      }));
      await world.database.db.insertInto('blocked_word').values(rows).execute();
    }
    assert.equal((await lists.addWord('test', organization_id, 'w9999')).word, 'W9999');
    await assert.rejects(lists.addWord('test', organization_id, 'w10000'), failsWith('conflict', 'word'));
  });

  test('messages and replies are listed newest first, and found by number, status and batch', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, organizationId } = world;
    const messages = createMessages({
      database,
      readPushStates: world.outbox.readStates,
      carrierNames: async () => new Map(),
    });
    await createBlockedLists(needsOf(world)).addNumber('test', '', '+8613800138001');
    const first = await world.sendTo(['+8613800138000', '+8613800138001']);
    await world.time.advance(1_000);
    const second = await world.sendTo(['+8613800138002']);
    const list = async (filter: object) =>
      (await messages.find({ organizationId, limit: 10, ...filter })).rows.map(
        (each) => `${each.batch_id} ${each.number}`,
      );
    assert.deepEqual(await list({}), [
      `${second} +8613800138002`,
      `${first} +8613800138000`,
      `${first} +8613800138001`,
    ]);
    assert.deepEqual(await list({ limit: 1 }), [`${second} +8613800138002`]);
    assert.deepEqual(await list({ before: second, status: 'open' }), [`${first} +8613800138000`]);
    assert.deepEqual(await list({ number: '+86 138 0013 8001' }), [`${first} +8613800138001`]);
    assert.deepEqual(await list({ batchId: first, status: 'REJECTED' }), [`${first} +8613800138001`]);
    const [refused] = (await messages.find({ organizationId, limit: 1, status: 'REJECTED' })).rows;
    assert.deepEqual(
      [refused?.position, refused?.carrier, refused?.memo, refused?.push],
      [1, null, 'number blocked', 'waiting'],
    );

    const reply = { carrierId: 'c', simulated: true, from: '+8613800138000', to: '106', text: 'Hi', stop: false };
    const clock = world.time.clock;
    await recordReplies({ ...world, clock }, [{ ...reply, organizationId, ownedBy: 'number' }]);
    await world.time.advance(1);
    await recordReplies({ ...world, clock }, [{ ...reply, organizationId: undefined, ownedBy: 'nothing' }]);
    const owned = await messages.replies({ organizationId, limit: 10 });
    assert.deepEqual(
      owned.map(({ mobile, to, message, owned_by }) => [mobile, to, message, owned_by]),
      [['+8613800138000', '106', 'Hi', 'number']],
    );
    assert.deepEqual(
      (await messages.replies({ organizationId: '', limit: 10 })).map(({ owned_by }) => owned_by),
      ['nothing'],
    );
  });
});
