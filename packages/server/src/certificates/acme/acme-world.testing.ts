import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { noKnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import { createAuditTrail } from '../../audit/audit-trail.ts';
import { createChangeFeed } from '../../database/change-feed.ts';
import type { Open } from '../../database/testing.ts';
import { createOrganizations } from '../../organizations/organization.ts';
import { keyCheck } from '../../secrets/key-material.ts';
import { type KeyRing, newMasterKey, withCurrentKey } from '../../secrets/key-ring.ts';
import { createAuthorities } from './authorities/manage-authorities.ts';
import { createIssuing } from './create-issuing.ts';
import { type FakeAuthority, fakeAuthority } from './fake-authority.testing.ts';
import { followWindow } from './orders/follow-window.ts';
import type { OrderNeeds } from './orders/order-run.ts';
import { listDueOrders, listDueRevocations } from './orders/order-store.ts';
import { findHttpAnswer } from './orders/proof-store.ts';
import { runOrder } from './orders/run-order.ts';
import { startOrder } from './orders/start-order.ts';
import { tellRevocation } from './orders/tell-revocation.ts';
import { createDnsProviders } from './proofs/manage-dns-providers.ts';
import { type CertificateRequest, createCertificateRequests } from './requests/manage-requests.ts';
import { findNextDue, listDueRequests, listDueWindows } from './requests/request-store.ts';

export const zone = 'acme.waxwing.test';

/** Issuing on a fresh database, with an authority in memory and a clock that stands still. */
export async function openAcmeWorld(t: TestContext, open: Open) {
  const database = await open(t);
  let time = Date.UTC(2026, 0, 1);
  const clock = { now: () => time, monotonic: () => time };
  const audit = createAuditTrail(database, randomBytes(32));
  const feed = createChangeFeed(database, clock, async () => {});
  const first = newMasterKey(1, randomBytes);
  let ring: KeyRing = { current: first, keys: [first] };
  const remember = ({ current }: KeyRing) =>
    database.db
      .insertInto('master_key')
      .values({ id: current.id, key_check: keyCheck(current.key), created_at: current.createdAt })
      .execute();
  await remember(ring);
  const authority: FakeAuthority = fakeAuthority(clock.now);
  const { parts } = authority;
  authority.look = async (_identifier, type, token) =>
    type !== 'http-01' || (await findHttpAnswer(database.db, token)) === `${token}.thumbprint`;
  const ground = { database, feed, audit, clock, ring: () => ring, parts };
  const organizations = createOrganizations(ground);
  const { id: organizationId } = await organizations.create('test', 'Acme');
  const authorities = createAuthorities(ground);
  const requests = createCertificateRequests({ ...ground, zone, answersTlsAlpn: true });
  const needs: OrderNeeds = { ...ground, zone, known: noKnownAuthorities, random: () => 0.5 };
  const issuing = createIssuing(needs);
  const directory = 'https://ca.test/directory';
  await authorities.create('test', { name: 'ca', directory, email: 'ops@example.com' });

  /** What a worker does at this moment. */
  async function tick(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const now = clock.now();
    for (const request of await listDueRequests(database.db, now, 100)) await startOrder(needs, request);
    const except = { ids: [], organizations: [], authorities: [] };
    for (const { id } of await listDueOrders(database.db, { now, limit: 100, except }))
      await runOrder(needs, id, signal);
    for (const { certificate_id } of await listDueWindows(database.db, { now, limit: 100 })) {
      await followWindow(needs, certificate_id, signal);
    }
    for (const { id } of await listDueRevocations(database.db, { now, limit: 100, except }))
      await tellRevocation(needs, id, signal);
  }

  return {
    ...{
      database,
      audit,
      feed,
      clock,
      authority,
      authorities,
      requests,
      issuing,
      organizationId,
      organizations,
      needs,
    },
    dnsProviders: createDnsProviders(ground),
    tick,
    advance(ms: number) {
      time += ms;
    },
    /** Moves the clock to what is due, and acts, until `spanMs` have passed. */
    async pass(spanMs: number) {
      const end = time + spanMs;
      for (;;) {
        await tick();
        const due = await findNextDue(database.db);
        if (due === undefined || due > end) break;
        time = Math.max(due, time + 1);
      }
      time = end;
    },
    request: (more: Partial<CertificateRequest> = {}) =>
      requests.request('test', { organizationId, authorities: ['ca'], domains: ['www.example.com'], ...more }),
    certificate: (id: string) =>
      database.db.selectFrom('certificate').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    issuance: async (id: string) =>
      issuing.read(
        await database.db.selectFrom('certificate').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      ),
    count: async (table: 'acme_challenge' | 'acme_order' | 'certificate_version' | 'acme_step') =>
      (await database.db.selectFrom(table).select('organization_id').execute()).length,
    async actions() {
      const entries = await audit.list({ limit: 100 });
      return entries.map(({ action }) => action).reverse();
    },
    async rotate() {
      const next = withCurrentKey(ring, newMasterKey(2, randomBytes));
      await remember(next);
      ring = next;
      return ring;
    },
  };
}

export type AcmeWorld = Awaited<ReturnType<typeof openAcmeWorld>>;
