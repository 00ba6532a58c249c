import type { RequestRefusal } from '@waxwing/contract/requested-names.ts';
import type { KeyKind } from '@waxwing/pki/generate-key.ts';
import type { Ground } from '../../../audit/ground.ts';
import type { Db } from '../../../database/database.ts';
import type { AcmeOrderRow, CertificateRequestRow } from '../../../database/schema/acme-tables.ts';
import type { CertificateRow } from '../../../database/schema/certificate-tables.ts';
import { checkName, lockOrganization } from '../../../organizations/organization.ts';
import { newId, toRfc3339 } from '../../../runtime/clock.ts';
import { Problem } from '../../../runtime/problem.ts';
import { getCertificateRow, requireCertificate } from '../../certificate-lookup.ts';
import { findForeignName } from '../../certificate-name-store.ts';
import { insertCertificate, setUnissuedState } from '../../certificate-store.ts';
import type { Issuance } from '../../issuing.ts';
import type { AcmeParts } from '../acme-parts.ts';
import { findAuthority, findAuthorityByName, listAuthorities } from '../authorities/authority-store.ts';
import { authorityOf, beginOrder, hashOfNames, namesOf } from '../orders/begin-order.ts';
import { foreignNameWords } from '../orders/foreign-names.ts';
import { orderSpacingMs } from '../orders/next-step.ts';
import { limitOrders } from '../orders/order-limit.ts';
import { findOrder, listPlaced, listSteps, lockRunningOrder, setOrderDue } from '../orders/order-store.ts';
import { findDnsProvider, listDnsProviders, lockDnsProvider } from '../proofs/dns-provider-store.ts';
import { toProgress } from './issuance-view.ts';
import { countRenewals, listRenewals, type PlacedRenewal, type RenewalCounts } from './list-renewals.ts';
import type { RenewalPart, RenewalSpan } from './renewal-store.ts';
import { checkRequestedNames } from './request-names.ts';
import { findRequest, insertRequest, updateRequest } from './request-store.ts';

export interface CertificateRequest {
  readonly organizationId: string;
  /** By id, name, or the beginning of an id. */
  readonly authorities: readonly string[];
  readonly domains: readonly string[];
  readonly name?: string | undefined;
  readonly challenge?: CertificateRequestRow['challenge'] | undefined;
  /** By id or name. */
  readonly dnsProvider?: string | undefined;
  readonly key?: KeyKind | undefined;
  readonly keepKey?: boolean | undefined;
  readonly profile?: string | undefined;
}

export interface IssuanceProgress {
  readonly id: string;
  readonly state: CertificateRow['state'];
  readonly step: string | null;
  readonly next_at: string | null;
  readonly error: string | null;
  readonly progress: Issuance['progress'];
}

export interface CertificateRequests {
  /** @returns the id of the certificate, which is pending */
  request(by: string, request: CertificateRequest): Promise<string>;
  /** Begins an order now, or goes on with the one that is under way. */
  renew(by: string, certificateId: string): Promise<void>;
  /** As `renew`, also for a certificate that has not been issued yet. */
  requestAgain(by: string, certificateId: string): Promise<void>;
  progress(certificateId: string): Promise<IssuanceProgress>;
  listRenewals(part: RenewalPart, of: { readonly failing: boolean } & RenewalSpan): Promise<readonly PlacedRenewal[]>;
  /** @param organizationId undefined: of all organizations. @param offsetMs how far days begin before those of UTC */
  countRenewals(organizationId: string | undefined, offsetMs: number): Promise<RenewalCounts>;
}

export interface RequestNeeds extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly parts: Pick<AcmeParts, 'renewalId'>;
  /** Of managed delegation; undefined: there is none. */
  readonly zone: string | undefined;
  /** Whether TLS-ALPN-01 is answered. */
  readonly answersTlsAlpn: boolean;
}

const stepsShown = 1_000;
const mostCandidates = 1_000;
/** Profiles that allow addresses as names. */
const addressProfiles: readonly string[] = ['ip', 'shortlived'];

export function createCertificateRequests(needs: RequestNeeds): CertificateRequests {
  const { database, feed, audit, clock, parts } = needs;
  const { db } = database;

  async function again(by: string, certificateId: string, mayBeUnissued: boolean): Promise<void> {
    const at = clock.now();
    await getCertificateRow(db, certificateId);
    await feed.write(async (trx, note) => {
      const certificate = await requireCertificate(trx, database, certificateId);
      const request = await findRequest(trx, certificateId);
      if (request === undefined) throw notRequested(certificate);
      if (certificate.state === 'revoked') throw revoked(certificate);
      if (!mayBeUnissued && certificate.state !== 'issued') throw notIssued(certificate);
      const running = await lockRunningOrder(trx, database, certificateId);
      // What waits is looked at now. An order that may have been placed is looked for; it is not placed again.
      if (running !== undefined && !isBeingPlaced(running)) await setOrderDue(trx, running.id, at);
      const hasFailed = running?.step === 'clean' && running.failure !== null;
      if (running === undefined || hasFailed) await requireOrderAllowed(trx, request, at);
      // One that has failed only removes its proofs. The next one begins after it.
      if (hasFailed) await updateRequest(trx, certificateId, { next_at: at });
      if (running === undefined) await beginOrder(trx, parts, certificate, request, at);
      await setUnissuedState(trx, certificate, 'pending', at);
      note('certificate', certificateId, certificate.organization_id);
      const detail = JSON.stringify({ again: true });
      const entry = { organizationId: certificate.organization_id, actor: by, subject: certificateId, at, detail };
      await audit.record(trx, [{ ...entry, action: 'certificate.request' }]);
    });
  }

  return {
    async request(by, request) {
      const { organizationId } = request;
      const checked = await checkRequest(needs, request);
      const at = clock.now();
      const id = newId(at);
      await feed.write(async (trx, note) => {
        await lockOrganization(trx, database, organizationId);
        await requireParts(trx, needs, checked);
        const certificate: CertificateRow = {
          organization_id: organizationId,
          id,
          name: request.name === undefined ? (checked.domains[0] ?? id) : checkName('name', request.name),
          ...{ state: 'pending', source: 'acme', current_version: null, current_since: null, former_version: null },
          ...{ versions: 0, created_at: at, updated_at: at },
        };
        const row: CertificateRequestRow = {
          ...{ organization_id: organizationId, certificate_id: id, authority_index: 0 },
          authorities: JSON.stringify(checked.authorities),
          domains: JSON.stringify(checked.domains),
          challenge: checked.challenge,
          dns_provider_id: checked.dnsProviderId ?? null,
          key_kind: request.key ?? 'ec256',
          keep_key: request.keepKey === true ? 1 : 0,
          profile: request.profile ?? null,
          ...{ next_at: null, window_start: null, window_end: null, ari_next_at: null, attempts: 0 },
          ...{ last_error: null, last_error_at: null, order_id: null, issued_by: null, created_at: at, updated_at: at },
        };
        await requireOrderAllowed(trx, row, at);
        await insertCertificate(trx, certificate);
        await insertRequest(trx, row);
        await beginOrder(trx, parts, certificate, row, at);
        note('certificate', id, organizationId);
        const domains = checked.domains.slice(0, 10);
        const detail = { name: certificate.name, domains, domain_count: checked.domains.length };
        const entry = { organizationId, actor: by, action: 'certificate.request', subject: id, at } as const;
        await audit.record(trx, [{ ...entry, detail: JSON.stringify(detail) }]);
      });
      return id;
    },

    renew: (by, certificateId) => again(by, certificateId, false),

    requestAgain: (by, certificateId) => again(by, certificateId, true),

    async progress(certificateId) {
      const { id, state } = await getCertificateRow(db, certificateId);
      const request = await findRequest(db, id);
      const order = request?.order_id == null ? undefined : await findOrder(db, request.order_id);
      const steps = order === undefined ? [] : await listSteps(db, order.id, stepsShown);
      const isRunning = order !== undefined && order.next_at !== null;
      return {
        ...{ id, state, step: isRunning ? order.step : null },
        next_at: isRunning ? toRfc3339(order.next_at ?? 0) : null,
        error: order?.failure ?? request?.last_error ?? null,
        progress: toProgress(order, steps),
      };
    },

    listRenewals: (part, of) => listRenewals(db, part, of),
    countRenewals: (organizationId, offsetMs) => countRenewals(db, organizationId, clock.now(), offsetMs),
  };
}

/** The row is as it was when the intent was written: the answer may be on its way. It is looked for within a minute by itself. */
function isBeingPlaced({ step, intent_at, updated_at }: AcmeOrderRow): boolean {
  return step === 'find' && updated_at === intent_at;
}

interface CheckedRequest {
  readonly authorities: readonly string[];
  readonly domains: readonly string[];
  readonly challenge: CertificateRequestRow['challenge'];
  readonly dnsProviderId: string | undefined;
}

/** @throws Problem `invalid_parameter` or `not_found` for what cannot succeed, naming the field and what to do */
async function checkRequest(needs: RequestNeeds, request: CertificateRequest): Promise<CheckedRequest> {
  const { db } = needs.database;
  if (request.name !== undefined) checkName('name', request.name);
  const found = [];
  for (const text of request.authorities) found.push(await authorityNamed(db, text));
  const authorities = [...new Map(found.map((row) => [row.id, row])).values()];
  const profiles = request.profile === undefined ? authorities.map(({ profile }) => profile) : [request.profile];
  const addresses = profiles.every((profile) => profile !== null && addressProfiles.includes(profile));
  const challenge = request.challenge ?? (request.dnsProvider === undefined ? 'http-01' : 'dns-01');
  const byDns = challenge === 'dns-01';
  const domains = checkRequestedNames(request.domains, { field: 'domains', addresses, byDns });
  const dnsProviderId =
    request.dnsProvider === undefined
      ? undefined
      : await providerNamed(db, request.organizationId, request.dnsProvider);
  checkChallenge(needs, domains, challenge, dnsProviderId);
  if (!byDns) await requireOwnNames(db, request.organizationId, domains);
  return { authorities: authorities.map(({ id }) => id), domains, challenge, dnsProviderId };
}

function checkChallenge(
  { zone, answersTlsAlpn }: RequestNeeds,
  domains: readonly string[],
  challenge: CertificateRequestRow['challenge'],
  dnsProviderId: string | undefined,
): void {
  const wildcard = domains.find((domain) => domain.startsWith('*.'));
  if (challenge !== 'dns-01') {
    if (wildcard !== undefined) {
      throw refused(
        'challenge',
        'wildcard_needs_dns',
        `${wildcard} is a wildcard, which only DNS-01 proves: --challenge dns-01, with --dns-provider where there is one.`,
      );
    }
    if (dnsProviderId !== undefined) {
      throw refused(
        'dns_provider',
        'provider_needs_dns',
        `A DNS provider goes with DNS-01: --challenge dns-01, or leave it out for ${challenge}.`,
      );
    }
    if (challenge === 'tls-alpn-01' && !answersTlsAlpn) {
      throw refused(
        'challenge',
        'tls_alpn_off',
        'TLS-ALPN-01 is not answered here: WAXWING_TLS_ALPN_LISTEN is not set. Use http-01 or dns-01.',
      );
    }
    return;
  }
  if (dnsProviderId === undefined && zone === undefined) {
    throw refused(
      'dns_provider',
      'dns_provider_needed',
      'DNS-01 needs a DNS provider: --dns-provider ID. Managed delegation needs WAXWING_DNS_ZONE, which is not set.',
    );
  }
  const address = domains.find((domain) => /^[\d.]+$|:/.test(domain));
  if (address !== undefined) {
    const detail = `${address} is an address, which DNS-01 cannot prove: use http-01.`;
    throw refused('challenge', 'address_not_by_dns', detail);
  }
}

/** @see findForeignName; orders ask again, since another organization may be faster */
async function requireOwnNames(db: Db, organizationId: string, domains: readonly string[]): Promise<void> {
  const foreign = await findForeignName(db, organizationId, domains);
  if (foreign !== undefined) throw refused('challenge', 'name_of_another', foreignNameWords(foreign));
}

async function authorityNamed(db: Db, text: string) {
  const named = (await findAuthority(db, text)) ?? (await findAuthorityByName(db, text.trim()));
  if (named !== undefined) return named;
  return prefixed(
    text,
    'authority',
    'authorities',
    await listAuthorities(db, { take: mostCandidates, after: undefined }),
  );
}

async function providerNamed(db: Db, organizationId: string, text: string): Promise<string> {
  const row = await findDnsProvider(db, text);
  if (row?.organization_id === organizationId) return row.id;
  const all = await listDnsProviders(db, organizationId, { take: mostCandidates, after: undefined });
  const named = all.filter(({ name }) => name === text.trim());
  return prefixed(text, 'DNS provider', 'dns_provider', named.length > 0 ? named : all, named.length > 0).id;
}

/** The one thing whose id begins so. */
function prefixed<Row extends { readonly id: string; readonly name: string }>(
  text: string,
  kind: string,
  field: string,
  all: readonly Row[],
  areNamed = false,
): Row {
  const found = areNamed ? all : all.filter(({ id }) => text.length >= 1 && id.startsWith(text));
  const [first, ...others] = found;
  if (first === undefined) {
    const list = kind === 'authority' ? 'authority list --organization ID' : 'dns-provider list';
    throw new Problem('not_found', { field, detail: `There is no ${kind} ${text}. "${list}" shows those there are.` });
  }
  if (others.length === 0) return first;
  const candidates = found.slice(0, 10).map(({ id, name }) => `${id} (${name})`);
  const detail = `${text} may be several of them. Name the ${kind} by more of its id: ${candidates.join(', ')}.`;
  throw new Problem('conflict', { field, reason: 'several_match', parameters: { name: text }, detail });
}

/** @throws Problem `conflict` where another order now would use up what the authority takes for these names */
async function requireOrderAllowed(trx: Db, request: CertificateRequestRow, now: number): Promise<void> {
  const names = namesOf(request);
  const order = {
    organizationId: request.organization_id,
    authorityId: authorityOf(request),
    namesHash: hashOfNames(names),
  };
  const limit = limitOrders(await listPlaced(trx, order, now - orderSpacingMs), now);
  if (limit === undefined) return;
  const until = toRfc3339(limit.until);
  throw new Problem('conflict', {
    field: 'certificate',
    reason: 'ordered_too_often',
    parameters: { most: limit.most, until },
    detail: `${limit.most} orders for ${names[0]} were placed within an hour, and the authority limits them. Ask again after ${until}.`,
  });
}

/** They may be deleted while the request is checked. */
async function requireParts(trx: Db, { database }: RequestNeeds, request: CheckedRequest): Promise<void> {
  for (const id of request.authorities) {
    if ((await findAuthority(trx, id)) === undefined) throw new Problem('not_found', { field: 'authorities' });
  }
  if (request.dnsProviderId === undefined) return;
  if ((await lockDnsProvider(trx, database, request.dnsProviderId)) === undefined) {
    throw new Problem('not_found', { field: 'dns_provider' });
  }
}

function refused(field: string, reason: RequestRefusal, detail: string): Problem {
  return new Problem('invalid_parameter', { field, reason, detail });
}

function notRequested({ id }: CertificateRow): Problem {
  return new Problem('conflict', {
    field: 'certificate',
    reason: 'not_requested',
    detail: `Certificate ${id} was imported. Import its next version, or request one by "certificate request".`,
  });
}

function revoked({ id }: CertificateRow): Problem {
  return new Problem('conflict', {
    field: 'certificate',
    reason: 'request_revoked',
    detail: `Certificate ${id} is revoked, which cannot be undone. Request another one by "certificate request".`,
  });
}

function notIssued({ id, state }: CertificateRow): Problem {
  return new Problem('conflict', {
    field: 'certificate',
    reason: 'certificate_not_issued',
    detail: `Certificate ${id} is ${state}: there is nothing to renew yet. "certificate request-again" goes on with it.`,
  });
}
