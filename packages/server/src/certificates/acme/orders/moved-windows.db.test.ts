import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { renewalId } from '@waxwing/pki/renewal-id.ts';
import { readX509 } from '@waxwing/pki/x509.ts';
import { onBothDatabases } from '../../../database/testing.ts';
import { longestLeaseMs } from '../../../runtime/lease.ts';
import { type AcmeWorld, openAcmeWorld } from '../acme-world.testing.ts';
import { failure } from '../fake-authority.testing.ts';
import { renewalTime } from '../renewal/renewal-time.ts';
import { seededRandom } from '../renewal/seeded-random.testing.ts';
import { findNextDue } from '../requests/request-store.ts';
import { createAcmeEngine } from './acme-engine.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const isFull = process.env.WAXWING_TEST_SCALE === 'full';
/** Every seventh replacement is refused: the authority has it that another order replaces the certificate already. */
const refusedShare = 7;

/** What the authority knows of a certificate that it issued. */
interface Issued {
  readonly domain: string;
  readonly serial: string;
  readonly notBefore: number;
}

/** An authority with ARI: it knows its certificates by their ids, and takes `limit` orders within three hours. */
function withRenewalInfo({ authority, clock }: AcmeWorld, limit: number) {
  const serials = { next: 1n };
  const state = {
    /** From when on all windows that end later are this one. */
    moved: undefined as { start: number; end: number } | undefined,
    limited: false,
    refusedByLimit: 0,
    unknownIds: 0,
    asked: 0,
    placed: [] as { at: number; domain: string; replaces: string | undefined }[],
    alreadyReplaced: [] as { domain: string; replaces: string }[],
  };
  // Half of them with the high bit set, which DER writes with a leading zero.
  authority.nextSerial = () => (serials.next++ % 2n === 0n ? 0x80n << 120n : 0x11n << 120n) + serials.next;

  /** The certificate of an id, which is read as RFC 9773 §4.1 describes it, without our own code. */
  function find(id: string): Issued | undefined {
    const [issuer = '', serial = ''] = id.split('.');
    if (issuer === '' || serial === '') return undefined;
    const der = Buffer.from(serial, 'base64url');
    // DER has no needless zero, and none is missing: a high bit would make the number negative.
    if ((der[0] === 0 && (der[1] ?? 0) < 0x80) || (der[0] ?? 0) >= 0x80) return undefined;
    return issued().get(BigInt(`0x${der.toString('hex')}`).toString(16));
  }

  let known = new Map<string, Issued>();
  let counted = 0;
  function issued(): ReadonlyMap<string, Issued> {
    const pems = [...authority.orders.values()].flatMap(({ pem }) => pem ?? []);
    for (const pem of pems.slice(counted)) {
      const leaf = new X509Certificate(pem);
      const serial = BigInt(`0x${leaf.serialNumber}`).toString(16);
      const domain = leaf.subjectAltName?.replace('DNS:', '') ?? '';
      known = known.set(serial, { domain, serial, notBefore: Date.parse(leaf.validFrom) });
    }
    counted = pems.length;
    return known;
  }

  authority.window = { start: 0, end: 0 };
  authority.windowOf = async (id) => {
    state.asked += 1;
    const certificate = find(id);
    if (certificate === undefined) {
      state.unknownIds += 1;
      return failure('No such certificate.');
    }
    const usual = { start: certificate.notBefore + 58 * day, end: certificate.notBefore + 60 * day };
    const isMoved = state.moved !== undefined && certificate.notBefore < state.moved.start;
    const window = isMoved && state.moved !== undefined ? state.moved : usual;
    return { kind: 'done', ...window, explanation: null, retryAfterMs: 2 * hour };
  };
  authority.refuse = ({ identifiers, replaces }) => {
    const at = clock.now();
    const domain = identifiers[0]?.value ?? '';
    if (state.limited && state.placed.filter((order) => order.at > at - 3 * hour).length >= limit) {
      state.refusedByLimit += 1;
      return failure('Too many new orders.', { type: 'rateLimited', temporary: true, retryAfterMs: hour });
    }
    const former = replaces === undefined ? undefined : find(replaces);
    if (replaces !== undefined && former?.domain !== domain) return failure('It replaces another certificate.');
    if (replaces !== undefined && Number(/\d+/.exec(domain)) % refusedShare === 0) {
      state.alreadyReplaced.push({ domain, replaces });
      return failure('It is replaced already.', { type: 'alreadyReplaced' });
    }
    state.placed.push({ at, domain, replaces });
    return undefined;
  };
  return state;
}

onBothDatabases('renewals by ARI', (open, kind) => {
  // With 500 it takes two minutes on SQLite, and more on PostgreSQL.
  const count = isFull ? 500 : kind === 'sqlite' ? 150 : 60;
  /** New orders that the authority takes within three hours: as many of 500 as Let's Encrypt does. */
  const limit = (300 * count) / 500;

  test(`${count} certificates whose windows move at once are renewed by the worker, spread over the window`, async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority, clock, database } = world;
    const state = withRenewalInfo(world, limit);
    Object.assign(authority.parts, {
      renewalId: (leaf: Uint8Array) => renewalId(readX509(Buffer.from(leaf))),
      renewalTime: ({ now, notBefore, notAfter, window, random }: Parameters<typeof authority.parts.renewalTime>[0]) =>
        renewalTime({ notBefore, notAfter }, window ?? null, now, random),
    });
    const fail = (fields: object) => assert.fail(JSON.stringify(fields));
    const log = { warn: fail, error: fail };
    const engine = createAcmeEngine({
      ...{ ...world.needs, random: seededRandom(20_260_115), nodeId: 'one', leaseMs: longestLeaseMs, log },
      wait: async () => {},
    });
    const { signal } = new AbortController();
    /** Looks when something is due, as the worker does, but not more often than each 20 seconds. */
    async function pass(until: number): Promise<void> {
      for (;;) {
        await engine.beat();
        await engine.look(signal);
        const due = await findNextDue(database.db);
        if (due === undefined || due > until) break;
        world.advance(Math.max(due - clock.now(), 20 * second));
      }
      world.advance(Math.max(0, until - clock.now()));
    }
    const versions = async () =>
      (await database.db.selectFrom('certificate').select(['id', 'state', 'versions']).execute()).map(
        (each) => `${each.state} ${each.versions}`,
      );

    for (let index = 0; index < count; index += 1) {
      await world.request({ domains: [`host${index}.example.com`] });
      // A look must end before the lease does.
      if (index % 50 === 49) await pass(clock.now());
    }
    await pass(clock.now() + 5 * minute);
    assert.deepEqual(new Set(await versions()), new Set(['issued 1']));
    assert.ok(state.placed.every(({ replaces }) => replaces === undefined));

    await pass(clock.now() + 30 * minute);
    state.placed.length = 0;
    state.limited = true;
    const moved = { start: clock.now() + minute, end: clock.now() + 9 * hour };
    state.moved = moved;
    await pass(moved.end + hour);

    const { placed, alreadyReplaced, refusedByLimit, unknownIds, asked } = state;
    const hours = [...Map.groupBy(placed, ({ at }) => Math.floor((at - moved.start) / hour)).values()];
    const busiest = Math.max(...hours.map(({ length }) => length));
    t.diagnostic(`${placed.length} orders, ${busiest} in the busiest hour, ${alreadyReplaced.length} replaced already`);
    assert.deepEqual(new Set(await versions()), new Set(['issued 2']), 'each is renewed once');
    assert.equal(placed.length, count);
    assert.ok(placed.every(({ at }) => moved.start <= at && at <= moved.end + minute));
    assert.ok(busiest <= (2 * count) / 9, 'spread');
    assert.deepEqual([refusedByLimit, unknownIds], [0, 0]);
    assert.ok(asked >= 2 * count);

    const refused = new Set(alreadyReplaced.map(({ domain }) => domain));
    assert.equal(refused.size, Math.ceil(count / refusedShare));
    assert.equal(alreadyReplaced.length, refused.size, 'each is refused once');
    for (const { domain, replaces } of placed) assert.equal(replaces === undefined, refused.has(domain), domain);
    const highBits = placed.filter(({ replaces }) => Buffer.from(replaces?.split('.')[1] ?? '', 'base64url')[0] === 0);
    assert.ok(highBits.length > count / 3, 'serial numbers whose high bit is set are among them');
  });
});
