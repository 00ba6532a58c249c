import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { createAuditTrail } from '../../audit/audit-trail.ts';
import { createChangeFeed } from '../../database/change-feed.ts';
import { type Open, onBothDatabases } from '../../database/testing.ts';
import { networkSet } from '../../http/request/ip-address.ts';
import { createOrganizations } from '../../organizations/organization.ts';
import { ownEndpoints } from '../../outbound/own-endpoints.ts';
import { systemClock } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { keyCheck } from '../../secrets/key-material.ts';
import { type KeyRing, newMasterKey } from '../../secrets/key-ring.ts';
import { type ChannelTarget, type Notice, refused, type SendResult } from '../senders/notice.ts';
import { findChannel } from './alert-channel-store.ts';
import { createAlertChannels } from './manage-alert-channels.ts';
import { openChannel, sealedAlertChannels } from './sealed-alert-channels.ts';

const secretUrl = 'http://127.0.0.1:9/robot/send?access_token=S3cret';
const page = { take: 100, after: undefined };

async function openWorld(t: TestContext, open: Open) {
  const database = await open(t);
  const clock = systemClock;
  const audit = createAuditTrail(database, randomBytes(32));
  const feed = createChangeFeed(database, clock, async () => {});
  const newKey = async (id: number) => {
    const key = newMasterKey(id, randomBytes);
    const row = { id: key.id, key_check: keyCheck(key.key), created_at: key.createdAt };
    await database.db.insertInto('master_key').values(row).execute();
    return key;
  };
  const first = await newKey(1);
  let ring: KeyRing = { current: first, keys: [first] };
  const sent: { readonly target: ChannelTarget; readonly notices: readonly Notice[] }[] = [];
  let answer: SendResult = { kind: 'sent' };
  const channels = createAlertChannels({
    ...{ database, feed, audit, clock, ring: () => ring },
    guard: {
      allowed: networkSet(['127.0.0.0/8']),
      own: ownEndpoints(() => [8080]),
      resolve: async () => {
        throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
      },
    },
    async send(target, notices) {
      sent.push({ target, notices });
      return answer;
    },
  });
  const organizations = createOrganizations({ database, feed, audit, clock });
  return {
    ...{ database, feed, audit, channels, sent, organizations },
    acme: (await organizations.create('test', 'Acme')).id,
    async rotate() {
      const key = await newKey(2);
      ring = { current: key, keys: [key, first] };
      return ring;
    },
    ring: () => ring,
    answer(next: SendResult) {
      answer = next;
    },
  };
}

const refusedAt = (field: string, reason?: string) => (error: unknown) => {
  assert.ok(error instanceof Problem, String(error));
  assert.deepEqual([error.code, error.field, error.reason], ['invalid_parameter', field, reason]);
  return true;
};

onBothDatabases('alert channels', (open) => {
  test('a webhook gets a secret, which is shown once and sealed with its URL', async (t) => {
    const { channels, acme, database, ring, audit } = await openWorld(t, open);
    const request = { organizationId: acme, kind: 'webhook', name: ' hook ', url: secretUrl } as const;
    const { channel, secret } = await channels.create('test', request);
    assert.match(secret?.reveal() ?? '', /^whsec_/);
    assert.deepEqual([channel.name, channel.host, channel.signed, channel.enabled], ['hook', '127.0.0.1', true, true]);
    assert.doesNotMatch(JSON.stringify([channel, await channels.show(channel.id)]), /S3cret|whsec_|robot/);
    const row = await findChannel(database.db, channel.id);
    assert.ok(row);
    assert.doesNotMatch(JSON.stringify({ ...row, sealed: Buffer.from(row.sealed ?? []).toString('latin1') }), /S3cret/);
    const opened = openChannel(ring(), row);
    assert.deepEqual([opened?.url.reveal(), opened?.secret?.reveal()], [secretUrl, secret?.reveal()]);
    const [entry] = await audit.list({ limit: 1 });
    assert.equal(entry?.action, 'alert-channel.create');
    assert.deepEqual(JSON.parse(entry?.detail ?? ''), {
      ...{ kind: 'webhook', name: 'hook', host: '127.0.0.1', signed: true },
    });
  });

  test('what an update leaves out stays, and the secret of a robot may go', async (t) => {
    const { channels, database, ring } = await openWorld(t, open);
    const request = { organizationId: '', kind: 'dingtalk', name: 'robot', url: secretUrl, secret: 'SECabc' } as const;
    const { channel, secret } = await channels.create('test', request);
    assert.equal(secret, undefined);
    const secretsOf = async () => {
      const row = await findChannel(database.db, channel.id);
      const opened = row && openChannel(ring(), row);
      return [opened?.url.reveal(), opened?.secret?.reveal(), row?.signed];
    };
    const url = 'http://127.0.0.2/other';
    assert.equal((await channels.update('test', channel.id, { url })).host, '127.0.0.2');
    assert.deepEqual(await secretsOf(), [url, 'SECabc', 1]);
    await channels.update('test', channel.id, { secret: null });
    assert.deepEqual(await secretsOf(), [url, undefined, 0]);
    const { enabled, name } = await channels.update('test', channel.id, { enabled: false, name: 'other' });
    assert.deepEqual([enabled, name], [false, 'other']);
    assert.deepEqual(await secretsOf(), [url, undefined, 0]);
    await assert.rejects(
      channels.update('test', channel.id, { name: 'x' }, () => {
        throw new Problem('precondition_failed');
      }),
      /changed/,
    );
  });

  const wrong: readonly [what: string, request: object, field: string, reason?: string][] = [
    ['an email without recipients', { kind: 'email' }, 'to'],
    ['an email to a list in one text', { kind: 'email', to: ['a@b.example,c@d.example'] }, 'to'],
    ['an email to a name', { kind: 'email', to: ['Ops <ops@example.com>'] }, 'to'],
    ['an email with a header in it', { kind: 'email', to: ['ops@example.com\nBcc: x@y.example'] }, 'to'],
    ['an email with a url', { kind: 'email', to: ['a@b.example'], url: secretUrl }, 'url'],
    ['an email with a secret', { kind: 'email', to: ['a@b.example'], secret: 'x' }, 'secret'],
    ['a robot without a url', { kind: 'feishu' }, 'url'],
    ['a robot with recipients', { kind: 'feishu', url: secretUrl, to: ['a@b.example'] }, 'to'],
    ['a private address', { kind: 'webhook', url: 'http://10.0.0.1/' }, 'url', 'not_public'],
    ['this machine by its name', { kind: 'wecom', url: 'http://localhost/' }, 'url', 'local_name'],
    ['this service', { kind: 'wecom', url: 'http://127.0.0.1:8080/' }, 'url', 'own_address'],
    ['a name that does not resolve', { kind: 'wecom', url: 'https://nowhere.example/' }, 'url', 'unresolved'],
    ['no URL', { kind: 'wecom', url: 'nonsense' }, 'url', 'malformed'],
    ['the parameter that each request sets', { kind: 'dingtalk', url: `${secretUrl}&sign=x` }, 'url', 'parameter'],
    ['a secret of WeCom', { kind: 'wecom', url: secretUrl, secret: 'x' }, 'secret'],
    ['a webhook with a secret of another form', { kind: 'webhook', url: secretUrl, secret: 'x' }, 'secret'],
    ['a robot with a secret of two lines', { kind: 'feishu', url: secretUrl, secret: 'a\nb' }, 'secret'],
  ];
  test('what cannot work is refused, and nothing is stored', async (t) => {
    const { channels, acme } = await openWorld(t, open);
    for (const [what, request, field, reason] of wrong) {
      const whole = { organizationId: acme, name: 'x', ...request } as Parameters<typeof channels.create>[1];
      await assert.rejects(channels.create('test', whole), refusedAt(field, reason), what);
    }
    assert.deepEqual(await channels.list(acme, page), []);
    const { channel } = await channels.create('test', {
      organizationId: acme,
      kind: 'webhook',
      name: 'x',
      url: secretUrl,
    });
    await assert.rejects(channels.update('test', channel.id, { secret: null }), refusedAt('secret'));
  });

  test('a test is sent also while the channel is off, and tells the words of the receiver', async (t) => {
    const { channels, acme, sent, answer, audit } = await openWorld(t, open);
    const request = { organizationId: acme, kind: 'wecom', name: 'robot', url: secretUrl, enabled: false } as const;
    const { channel } = await channels.create('test', request);
    const { sent: isSent, to, error } = await channels.test('test', channel.id);
    assert.deepEqual([isSent, to, error], [true, '127.0.0.1', null]);
    assert.equal(sent[0]?.target.url?.reveal(), secretUrl);
    assert.deepEqual(
      sent[0]?.notices.map(({ type, organization }) => [type, organization?.name]),
      [['alert.test', 'Acme']],
    );
    answer(refused('93000: invalid webhook url'));
    assert.equal((await channels.test('test', channel.id)).error, '93000: invalid webhook url');
    assert.equal((await audit.list({ limit: 1 }))[0]?.action, 'alert-channel.test');
    for (let count = 2; count < 10; count += 1) await channels.test('test', channel.id);
    await assert.rejects(
      channels.test('test', channel.id),
      (error) => error instanceof Problem && error.code === 'too_many_requests',
    );
  });

  test('tests are limited for all channels of an owner together, and name none of its words', async (t) => {
    const { channels, acme, sent } = await openWorld(t, open);
    const request = { organizationId: acme, kind: 'wecom', name: 'Buy now', url: secretUrl } as const;
    const made = [await channels.create('test', request), await channels.create('test', request)];
    const ids = [...made, await channels.create('test', request)].map(({ channel }) => channel.id);
    for (const id of ids.slice(0, 2)) for (let count = 0; count < 10; count += 1) await channels.test('test', id);
    await assert.rejects(channels.test('test', ids[2] ?? ''), /Too many tests/);
    assert.doesNotMatch(JSON.stringify(sent.map(({ notices }) => notices)), /Buy now/);
  });

  test('a test of a channel whose URL does not open says so', async (t) => {
    const { channels, acme, database } = await openWorld(t, open);
    const request = { organizationId: acme, kind: 'wecom', name: 'robot', url: secretUrl } as const;
    const { channel } = await channels.create('test', request);
    await database.db
      .updateTable('alert_channel')
      .set({ sealed: Buffer.alloc(200, 1) })
      .execute();
    assert.match((await channels.test('test', channel.id)).error ?? '', /^Its URL cannot be opened/);
  });

  test('a rotation of the master key wraps channels anew, and the doctor finds one that does not open', async (t) => {
    const { channels, acme, database, feed, rotate } = await openWorld(t, open);
    const { channel } = await channels.create('test', {
      organizationId: acme,
      kind: 'feishu',
      name: 'x',
      url: secretUrl,
    });
    await channels.create('test', { organizationId: acme, kind: 'email', name: 'y', to: ['a@b.example'] });
    const store = sealedAlertChannels(database, feed);
    const ring = await rotate();
    assert.equal(await store.rewrap(ring, 10), 1);
    assert.equal(await store.rewrap(ring, 10), 0);
    assert.deepEqual(await store.keysInUse(database.db), [ring.current.id]);
    const row = await findChannel(database.db, channel.id);
    assert.equal(row && openChannel({ current: ring.current, keys: [ring.current] }, row)?.url.reveal(), secretUrl);
    assert.deepEqual(await store.check(ring), { sealed: 1, faults: [] });
    await database.db.updateTable('alert_channel').set({ id: 'moved' }).where('id', '=', channel.id).execute();
    assert.match((await store.check(ring)).faults.join(), /^alert channel moved: /);
  });

  test('they go with their organization', async (t) => {
    const { channels, acme, organizations } = await openWorld(t, open);
    await channels.create('test', { organizationId: acme, kind: 'feishu', name: 'x', url: secretUrl });
    await channels.create('test', { organizationId: '', kind: 'feishu', name: 'ours', url: secretUrl });
    assert.equal((await channels.list(undefined, page)).length, 2);
    await organizations.delete('test', acme);
    assert.deepEqual(
      (await channels.list(undefined, page)).map(({ name }) => name),
      ['ours'],
    );
  });
});
