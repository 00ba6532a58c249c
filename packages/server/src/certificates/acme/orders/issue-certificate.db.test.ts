import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { openAcmeWorld, zone } from '../acme-world.testing.ts';
import { failure } from '../fake-authority.testing.ts';
import { challengeName, delegationTarget } from '../proofs/delegation-target.ts';
import { findTextValues, putChallenge } from './proof-store.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

onBothDatabases('issuing a certificate', (open) => {
  test('a request is pending, and issued by HTTP-01 within a few looks', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request({ domains: ['WWW.Example.com.', 'example.com', 'www.example.com'] });
    assert.equal((await world.certificate(id)).state, 'pending');
    await world.pass(minute);
    const { state, current_version, versions, source } = await world.certificate(id);
    assert.deepEqual([state, versions, source], ['issued', 1, 'acme']);
    const { progress, renewal } = await world.issuance(id);
    assert.deepEqual(
      progress.filter(({ domain }) => domain === null || domain === 'example.com').map(({ step }) => step),
      ['register', 'place', 'authorizations', 'offer', 'wait', 'finalize', 'store'],
    );
    assert.ok(progress.every((each) => each.state === 'done'));
    assert.deepEqual([renewal?.state, renewal?.attempts, renewal?.last_error], ['planned', 0, null]);
    const version = await world.database.db.selectFrom('certificate_version').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([version.id, JSON.parse(version.domains)], [current_version, ['www.example.com', 'example.com']]);
    assert.equal(new X509Certificate(version.chain).subjectAltName, 'DNS:www.example.com, DNS:example.com');
    assert.equal(await world.count('acme_challenge'), 0);
    assert.deepEqual((await world.actions()).slice(-2), ['certificate.request', 'certificate.issue']);
  });

  test('it is renewed by itself, and the version before stays the one before', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request();
    await world.pass(minute);
    const first = await world.certificate(id);
    await world.pass(59 * day);
    assert.equal((await world.certificate(id)).versions, 1);
    await world.pass(2 * day);
    const second = await world.certificate(id);
    assert.deepEqual([second.versions, second.former_version], [2, first.current_version]);
    assert.deepEqual(
      [...world.authority.orders.values()].map(({ replaces }) => replaces),
      [undefined, 'ari-id'],
    );
    assert.equal(world.authority.accounts.size, 1);
    assert.equal((await world.actions()).at(-1), 'certificate.renew');
    const keys = await world.database.db.selectFrom('certificate_version').select('chain').orderBy('number').execute();
    const [one, other] = keys.map(({ chain }) => new X509Certificate(chain).publicKey.export({ format: 'jwk' }).x);
    assert.notEqual(one, other);
  });

  test('each order names the profile of the request, or else that of the authority', async (t) => {
    const world = await openAcmeWorld(t, open);
    await world.request({ profile: 'shortlived', domains: ['192.0.2.7'] });
    await world.authorities.create('test', {
      ...{ name: 'tls', directory: 'https://tls.test/directory', email: 'ops@example.com' },
      profile: 'tlsserver',
    });
    await world.request({ authorities: ['tls'], domains: ['b.example.com'] });
    await world.request({ domains: ['c.example.com'] });
    await world.pass(61 * day);
    const placed = [...world.authority.orders.values()].map(({ identifiers, profile }) => [
      identifiers[0]?.value,
      profile,
    ]);
    assert.deepEqual(placed.toSorted(), [
      ...Array<unknown>(2).fill(['192.0.2.7', 'shortlived']),
      ...Array<unknown>(2).fill(['b.example.com', 'tlsserver']),
      ...Array<unknown>(2).fill(['c.example.com', undefined]),
    ]);
  });

  test('with --keep-key it has the same key', async (t) => {
    const world = await openAcmeWorld(t, open);
    await world.request({ keepKey: true });
    await world.pass(61 * day);
    const keys = await world.database.db.selectFrom('certificate_version').select('chain').orderBy('number').execute();
    const [one, other] = keys.map(({ chain }) => new X509Certificate(chain).publicKey.export({ format: 'jwk' }).x);
    assert.ok(one !== undefined && one === other);
  });

  test('a renewal comes in the window of the authority', async (t) => {
    const world = await openAcmeWorld(t, open);
    const start = world.clock.now() + 5 * day;
    world.authority.window = { start, end: start + day };
    const id = await world.request();
    await world.pass(minute);
    const { renewal } = await world.issuance(id);
    assert.deepEqual(renewal?.window, {
      start: new Date(start).toISOString(),
      end: new Date(start + day).toISOString(),
    });
    assert.equal(renewal?.next_at, new Date(start).toISOString());
  });

  test('a wildcard is proved by records, which are removed', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { organizationId } = world;
    const provider = { organizationId, name: 'dns', kind: 'cloudflare', secret: 'token' } as const;
    await world.dnsProviders.create('test', provider);
    const id = await world.request({
      domains: ['*.example.com', 'example.com'],
      challenge: 'dns-01',
      dnsProvider: 'dns',
    });
    await world.pass(minute);
    assert.equal((await world.certificate(id)).state, 'issued');
    assert.equal(world.authority.calls.filter((call) => call === 'present').length, 2);
    assert.equal(world.authority.records.size, 0);
  });

  test('managed delegation waits for its CNAME', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request({ domains: ['*.example.com', 'example.com'], challenge: 'dns-01' });
    await world.pass(10 * minute);
    const { delegation, renewal } = await world.issuance(id);
    const target = delegationTarget('acme.waxwing.test', world.organizationId, 'example.com');
    const [{ looked_at = null, ...alias } = {}, ...others] = delegation;
    assert.deepEqual([alias, others], [{ name: '_acme-challenge.example.com', target, seen: false }, []]);
    const longestRest = minute;
    assert.ok(world.clock.now() - Date.parse(looked_at ?? '') <= longestRest, `looked at ${looked_at}`);
    assert.deepEqual([(await world.certificate(id)).state, renewal?.state], ['pending', 'running']);
    assert.equal(world.authority.orders.size, 0);
    world.authority.aliases.set(challengeName('example.com'), target);
    await world.pass(2 * minute);
    assert.equal((await world.certificate(id)).state, 'issued');
    assert.deepEqual(
      (await world.issuance(id)).delegation.map(({ seen }) => seen),
      [true],
    );
  });

  test('of several CNAMEs each is told whether it was seen, and a change is news', async (t) => {
    const world = await openAcmeWorld(t, open);
    const domains = ['*.a.example.com', 'b.example.com'];
    const id = await world.request({ domains, challenge: 'dns-01' });
    const seen = async () => (await world.issuance(id)).delegation.map((each) => each.seen);
    assert.deepEqual(await seen(), [null, null]);
    await world.pass(minute);
    assert.deepEqual(await seen(), [false, false]);
    const target = delegationTarget('acme.waxwing.test', world.organizationId, 'a.example.com');
    world.authority.aliases.set(challengeName('a.example.com'), target);
    const notes = async () => (await world.database.db.selectFrom('change_log').select('kind').execute()).length;
    const before = await notes();
    await world.pass(minute);
    assert.deepEqual(await seen(), [true, false]);
    const after = await notes();
    assert.ok(after > before);
    await world.pass(minute);
    assert.equal(await notes(), after, 'a look that finds the same is no news');
  });

  test('a first order that fails says why, and is tried again after growing waits', async (t) => {
    const world = await openAcmeWorld(t, open);
    world.authority.look = async () => false;
    const id = await world.request();
    await world.pass(minute);
    assert.equal((await world.certificate(id)).state, 'failed');
    const { renewal, progress } = await world.issuance(id);
    assert.deepEqual(
      [renewal?.state, renewal?.last_error, renewal?.attempts],
      ['waiting', 'The proof was not found.', 1],
    );
    assert.deepEqual(
      progress.filter(({ state }) => state === 'failed').map(({ step, domain, words }) => [step, domain, words]),
      [['wait', 'www.example.com', 'The proof was not found.']],
    );
    assert.equal(await world.count('acme_challenge'), 0);
    await world.pass(day);
    const placed = [...world.authority.orders.values()].map(({ placedAt }) => placedAt);
    assert.ok(placed.length >= 4 && placed.length <= 12, String(placed.length));
    for (const [index, at] of placed.entries()) assert.ok(index === 0 || at - (placed[index - 1] ?? 0) >= hour);
    assert.equal((await world.certificate(id)).state, 'failed');
    world.authority.look = async () => true;
    await world.pass(day);
    assert.equal((await world.certificate(id)).state, 'issued');
  });

  test('an authority that is away rests for all certificates, until it has issued again', async (t) => {
    const world = await openAcmeWorld(t, open);
    const away = failure('No connection came about.', { type: 'notSent', temporary: true });
    world.authority.before = () => away;
    const one = await world.request();
    await world.pass(10 * minute);
    assert.equal((await world.certificate(one)).state, 'failed');
    const authority = () => world.database.db.selectFrom('authority').selectAll().executeTakeFirstOrThrow();
    assert.ok((await authority()).failures > 0);
    const { rests_until } = await authority();
    assert.ok((rests_until ?? 0) > world.clock.now() - hour);
    world.authority.before = () => undefined;
    await world.pass(30 * minute);
    assert.equal((await world.certificate(one)).state, 'issued');
    const { failures, rests_until: none } = await authority();
    assert.deepEqual([failures, none], [0, null]);
  });

  test('a renewal that fails leaves the certificate issued', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request();
    await world.pass(minute);
    world.authority.look = async () => false;
    await world.pass(61 * day);
    const { renewal } = await world.issuance(id);
    assert.equal((await world.certificate(id)).state, 'issued');
    assert.ok((renewal?.attempts ?? 0) > 0);
    assert.ok((await world.actions()).includes('certificate.renewal-failed'));
  });

  test('the next authority of the list is asked at once', async (t) => {
    const world = await openAcmeWorld(t, open);
    await world.authorities.create('test', {
      name: 'b',
      directory: 'https://b.test/directory',
      email: 'ops@example.com',
    });
    const id = await world.request({ authorities: ['ca', 'b'] });
    let refusals = 0;
    world.authority.before = (call) => {
      if (call !== 'placeOrder' || refusals > 0) return undefined;
      refusals += 1;
      return failure('CAA forbids it.', { type: 'caa' });
    };
    await world.pass(5 * minute);
    assert.equal((await world.certificate(id)).state, 'issued');
    assert.equal(world.authority.accounts.size, 2);
  });

  test('an authority is asked for its own profile, unless the request names one', async (t) => {
    const world = await openAcmeWorld(t, open);
    const of = (name: string) => ({ name, directory: `https://${name}.test/directory`, email: 'ops@example.com' });
    await world.authorities.create('test', { ...of('classic'), profile: 'classic' });
    await world.authorities.create('test', { ...of('short'), profile: 'shortlived' });
    const placed = async (authorities: readonly string[], profile?: string) => {
      const before = world.authority.orders.size;
      const { look } = world.authority;
      world.authority.look = async () => {
        world.authority.look = look;
        return false;
      };
      const domains = [`d${before}.example.com`];
      const id = await world.request({ authorities, domains, ...(profile !== undefined && { profile }) });
      await world.pass(5 * minute);
      assert.equal((await world.certificate(id)).state, 'issued');
      return [...world.authority.orders.values()].slice(before).map((order) => order.profile);
    };
    assert.deepEqual(await placed(['classic', 'short']), ['classic', 'shortlived']);
    assert.deepEqual(await placed(['short', 'ca']), ['shortlived', undefined]);
    assert.deepEqual(await placed(['ca', 'classic'], 'tlsserver'), ['tlsserver', 'tlsserver']);
  });

  test('what certificates are renewed by is not deleted, and the refusal names them', async (t) => {
    const world = await openAcmeWorld(t, open);
    const provider = await world.dnsProviders.create('test', {
      ...{ organizationId: world.organizationId, name: 'dns', kind: 'cloudflare', secret: 'token' },
    });
    const [authority] = await world.authorities.list({ take: 1, after: undefined });
    for (let index = 0; index < 6; index += 1) {
      await world.request({ domains: [`d${index}.example.com`], challenge: 'dns-01', dnsProvider: provider.id });
      world.advance(1);
    }
    const names = 'd0.example.com, d1.example.com, d2.example.com, d3.example.com, d4.example.com, …';
    const parameters = { count: '6', names };
    const used = (reason: string) => ({ code: 'conflict', reason, parameters });
    await assert.rejects(world.authorities.delete('test', authority?.id ?? ''), used('authority_in_use'));
    await assert.rejects(world.dnsProviders.delete('test', provider.id), used('dns_provider_in_use'));
    const { id: unused } = await world.authorities.create('test', {
      ...{ name: 'unused', directory: 'https://unused.test/directory', email: 'ops@example.com' },
    });
    await world.authorities.delete('test', unused);
  });

  test('a certificate for another key or other names is not stored', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { parts } = world.authority;
    const other = await parts.newKey('ec256');
    const certificateRequest = parts.certificateRequest.bind(parts);
    Object.assign(parts, { certificateRequest: () => certificateRequest(other, []) });
    const id = await world.request();
    await world.pass(minute);
    assert.equal((await world.certificate(id)).state, 'failed');
    assert.match((await world.issuance(id)).renewal?.last_error ?? '', /^What the authority issued was not accepted/);
    assert.equal(await world.count('certificate_version'), 0);
  });

  test('a revocation is told to the authority, also when that cannot be reached at first', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request();
    await world.pass(minute);
    world.authority.before = (call) => (call === 'revoke' ? 'lose' : undefined);
    const orders = await world.database.transaction((trx) =>
      world.issuing.revoke(trx, id, undefined, world.clock.now()),
    );
    assert.equal(await world.issuing.tell(orders), false);
    world.authority.before = () => undefined;
    assert.equal(await world.issuing.tell(orders), true);
    assert.equal(world.authority.revoked.length, 1);
    assert.equal(await world.issuing.tell(orders), null);
  });

  test('what one organization has proved spares no other the proof', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority } = world;
    authority.reuses = true;
    const { id: other } = await world.organizations.create('test', 'Other');
    const own = await world.request();
    authority.before = (call) => (call === 'finalize' ? failure('Later.', { temporary: true }) : undefined);
    await world.pass(10_000);
    assert.equal(authority.proved().length, 1, 'it is proved, and not issued yet');
    await world.dnsProviders.create('test', { organizationId: other, name: 'hand', kind: 'manual' });
    const byHand = { organizationId: other, challenge: 'dns-01', dnsProvider: 'hand' } as const;
    const meanwhile = await world.request(byHand);
    await world.tick();
    assert.equal((await world.certificate(meanwhile)).state, 'failed');
    assert.match((await world.issuance(meanwhile)).renewal?.last_error ?? '', /^Another order proved this name/);
    authority.before = () => undefined;
    await world.pass(minute);
    assert.equal((await world.certificate(own)).state, 'issued', 'the order that proved it goes on');
    assert.deepEqual(authority.proved(), []);

    // Whoever asks now has to prove it.
    const { look } = authority;
    authority.look = async () => false;
    await world.pass(3 * hour);
    assert.equal((await world.certificate(meanwhile)).state, 'failed');
    assert.equal((await world.issuance(meanwhile)).renewal?.last_error, 'The proof was not found.');
    authority.look = look;
    await world.pass(day);
    assert.equal((await world.certificate(meanwhile)).state, 'issued');
  });

  test('a proof that could not be taken back is, when the next order meets it', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority } = world;
    authority.reuses = true;
    authority.before = (call) => (call === 'deactivate' ? failure('Away.', { temporary: true }) : undefined);
    const id = await world.request();
    await world.pass(hour);
    assert.deepEqual([(await world.certificate(id)).state, authority.proved().length], ['issued', 1]);
    authority.before = () => undefined;
    const { id: other } = await world.organizations.create('test', 'Other');
    await world.dnsProviders.create('test', { organizationId: other, name: 'hand', kind: 'manual' });
    const second = await world.request({ organizationId: other, challenge: 'dns-01', dnsProvider: 'hand' });
    await world.tick();
    assert.deepEqual([(await world.certificate(second)).state, authority.proved()], ['failed', []]);
    await world.pass(day);
    assert.equal((await world.certificate(second)).state, 'issued');
  });

  test('an order of another organization that waits for the same proof gets nothing of it', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority, database } = world;
    authority.sharesPending = true;
    const { id: other } = await world.organizations.create('test', 'Other');
    for (const organizationId of [world.organizationId, other]) {
      await world.dnsProviders.create('test', { organizationId, name: 'hand', kind: 'manual' });
    }
    const byHand = { challenge: 'dns-01', dnsProvider: 'hand' } as const;
    const words = /^An order of another organization is proving this name/;
    const lastError = async (id: string) => (await world.issuance(id)).renewal?.last_error ?? '';

    // Nobody has set the record yet.
    authority.before = (call) =>
      call === 'isVisible' ? failure('There is no such record.', { temporary: true }) : undefined;
    const lurking = await world.request({ ...byHand, organizationId: other });
    await world.pass(minute);
    authority.before = () => undefined;
    const own = await world.request(byHand);
    await world.tick();
    assert.match(await lastError(own), words);
    await world.pass(10 * minute);
    assert.deepEqual([(await world.certificate(lurking)).state, authority.proved()], ['failed', []]);

    // Both may have read what is to be proved before either could see the other.
    authority.before = (call) => (call === 'offerChallenge' ? failure('Later.', { temporary: true }) : undefined);
    const late = await world.request({ ...byHand, domains: ['late.example.com'] });
    await world.tick();
    const proof = await database.db
      .selectFrom('acme_challenge')
      .selectAll()
      .where('domain', '=', 'late.example.com')
      .executeTakeFirstOrThrow();
    await putChallenge(database.db, { ...proof, organization_id: other, order_id: 'unseen' });
    authority.before = () => undefined;
    const finalized = () => authority.calls.filter((call) => call === 'finalize').length;
    const before = finalized();
    await world.pass(10 * minute);
    assert.match(await lastError(late), words);
    assert.equal(finalized(), before);
  });

  test('a record that cannot be removed keeps no other, and one that was refused keeps nothing', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority, organizationId } = world;
    await world.dnsProviders.create('test', { organizationId, name: 'hand', kind: 'manual' });
    const byHand = { challenge: 'dns-01', dnsProvider: 'hand' } as const;
    let removals = 0;
    authority.before = (call) => {
      if (call === 'cleanUp' && removals++ === 0) return failure('Away.', { temporary: true });
      return call === 'finalize' ? failure('No.', { temporary: false }) : undefined;
    };
    const two = await world.request({ ...byHand, domains: ['a.example.com', 'b.example.com'] });
    await world.tick();
    assert.equal((await world.certificate(two)).state, 'failed');
    assert.deepEqual(
      [authority.records.size, authority.proved()],
      [1, []],
      'the other is removed, both proofs are taken back',
    );
    await world.pass(minute);
    assert.deepEqual([authority.records.size, await world.count('acme_challenge')], [0, 0]);

    const refusal = failure('The account has no such zone.', { temporary: false });
    authority.before = (call) => (call === 'present' || call === 'cleanUp' ? refusal : undefined);
    const refused = await world.request({ ...byHand, domains: ['c.example.com'] });
    await world.tick();
    assert.deepEqual([(await world.certificate(refused)).state, await world.count('acme_challenge')], ['failed', 0]);
  });

  test('a provider sets nothing in the zone of managed delegation', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority, organizationId, database } = world;
    const { id: other } = await world.organizations.create('test', 'Other');
    const target = delegationTarget(zone, organizationId, 'example.com');
    authority.aliases.set(challengeName('example.com'), target);
    await world.dnsProviders.create('test', { organizationId: other, name: 'hand', kind: 'manual' });
    const asked = {
      organizationId: other,
      dnsProvider: 'hand',
      challenge: 'dns-01',
      domains: ['example.com'],
    } as const;
    const id = await world.request(asked);
    await world.tick();
    assert.equal((await world.certificate(id)).state, 'failed');
    const words = (await world.issuance(id)).renewal?.last_error ?? '';
    assert.match(words, /leads into the zone of this service\. Request it without a DNS provider\.$/);
    assert.deepEqual([authority.records.size, authority.calls.includes('present')], [0, false]);
    // The look at the alias can fail; what was meant for a provider is not answered here either.
    await database.db
      .insertInto('acme_challenge')
      .values({
        ...{ token: 't', organization_id: other, order_id: 'o', type: 'dns-01', domain: 'example.com' },
        ...{ authorization_url: 'a', challenge_url: 'c', key_authorization: 'k', dns_provider_id: 'p' },
        ...{ record_name: target, record_value: 'v', presented: 1, offered: 0, created_at: 0 },
      })
      .execute();
    assert.deepEqual(await findTextValues(database.db, target), []);
  });

  test('an account that the authority has lost is made anew by the next order', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority } = world;
    const id = await world.request();
    await world.pass(minute);
    let refusals = 0;
    authority.before = (call) => {
      if (call !== 'placeOrder' || refusals === 3) return undefined;
      refusals += 1;
      return failure('No such account.', { type: 'accountDoesNotExist' });
    };
    const registered = () => authority.calls.filter((call) => call === 'register').length;
    assert.equal(registered(), 1);
    await world.requests.renew('test', id);
    await world.pass(minute);
    assert.equal(refusals, 1, 'not asked again at once');
    const { renewal } = await world.issuance(id);
    assert.deepEqual([renewal?.last_error, renewal?.attempts], ['No such account.', 1]);
    await world.pass(2 * day);
    assert.deepEqual([(await world.certificate(id)).versions, registered(), refusals], [2, 4, 3]);
  });

  test('a newOrder that is never answered is a failure, and the next authority is asked', async (t) => {
    const world = await openAcmeWorld(t, open);
    await world.authorities.create('test', {
      name: 'b',
      directory: 'https://b.test/directory',
      email: 'b@example.com',
    });
    const { authority } = world;
    let lost = 0;
    authority.before = (call) => {
      if (call !== 'placeOrder' || lost === 2) return undefined;
      lost += 1;
      return 'lose';
    };
    const id = await world.request({ authorities: ['ca', 'b'] });
    await world.pass(3 * hour);
    assert.deepEqual([(await world.certificate(id)).state, lost], ['issued', 2]);
    assert.equal((await world.issuance(id)).authority?.name, 'b');
  });

  test('the CNAME that a renewal needs and that is gone is a failure within hours', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority, organizationId } = world;
    const target = delegationTarget(zone, organizationId, 'example.com');
    authority.aliases.set(challengeName('example.com'), target);
    const id = await world.request({ domains: ['example.com'], challenge: 'dns-01' });
    await world.pass(minute);
    assert.equal((await world.certificate(id)).state, 'issued');
    authority.aliases.clear();
    await world.pass(60 * day + 30 * minute);
    const waiting = (await world.issuance(id)).progress.at(-1);
    const words = `Waiting for the CNAME of _acme-challenge.example.com to ${target}.`;
    assert.deepEqual([waiting?.step, waiting?.state, waiting?.words], ['delegate', 'running', words]);
    await world.pass(hour);
    const { renewal } = await world.issuance(id);
    assert.equal(renewal?.last_error, `Waited for too long. ${words}`);
    assert.ok((await world.actions()).includes('certificate.renewal-failed'));
  });

  test('a slow provider is not asked again for what it has set', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority, organizationId } = world;
    await world.dnsProviders.create('test', { organizationId, name: 'dns', kind: 'cloudflare' });
    const domains = Array.from({ length: 6 }, (_, index) => `d${index}.example.com`);
    const id = await world.request({ domains, dnsProvider: 'dns' });
    const cut = new AbortController();
    authority.after = (call) => {
      if (call === 'present' && authority.records.size === 4) cut.abort();
      return undefined;
    };
    await world.tick(cut.signal);
    await world.pass(5 * minute);
    assert.equal((await world.certificate(id)).state, 'issued');
    const presented = authority.calls.filter((call) => call === 'present').length;
    assert.ok(presented <= domains.length + 1, `${presented}`);
    assert.equal(authority.records.size, 0);
  });

  test('the records of a deleted certificate are removed, and their provider is not deleted before', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { organizationId, database } = world;
    const provider = await world.dnsProviders.create('test', { organizationId, name: 'dns', kind: 'cloudflare' });
    const id = await world.request({ dnsProvider: 'dns' });
    world.authority.before = (call) => (call === 'isVisible' ? failure('Not yet.', { temporary: true }) : undefined);
    await world.tick();
    assert.equal(world.authority.records.size, 1);
    await database.transaction((trx) => world.issuing.forget(trx, id, world.clock.now()));
    await database.db.deleteFrom('certificate').where('id', '=', id).execute();
    const removing = { code: 'conflict', reason: 'dns_provider_removing', parameters: { count: '1' } };
    await assert.rejects(world.dnsProviders.delete('test', provider.id), removing);
    await world.pass(minute);
    assert.deepEqual([world.authority.records.size, await world.count('acme_challenge')], [0, 0]);
    await world.dnsProviders.delete('test', provider.id);
    assert.equal(await world.count('acme_order'), 1, 'it counts for the rest of the hour');
    await world.pass(hour);
    assert.equal(await world.count('acme_order'), 0);
  });
});
