import type { Db } from '../../../database/database.ts';
import type { AcmeOrderRow, AcmeStepRow, CertificateRequestRow } from '../../../database/schema/acme-tables.ts';
import type { CertificateRow } from '../../../database/schema/certificate-tables.ts';
import { toRfc3339 } from '../../../runtime/clock.ts';
import { type Issuance, type ListedIssuance, notIssuedHere } from '../../issuing.ts';
import { findAuthorityNames } from '../authorities/authority-store.ts';
import { authoritiesOf, authorityOf, namesOf } from '../orders/begin-order.ts';
import { findOrder, findOrders, listSteps } from '../orders/order-store.ts';
import { challengeName, delegationTarget, withoutWildcard } from '../proofs/delegation-target.ts';
import { findRequest, findRequests } from './request-store.ts';

type Line = Issuance['progress'][number];

/** More than an order of 100 names takes, with its repetitions. */
const stepsShown = 1_000;

export async function readIssuance(db: Db, certificate: CertificateRow, zone: string | undefined): Promise<Issuance> {
  const request = await findRequest(db, certificate.id);
  if (request === undefined) return { ...notIssuedHere, request: null, progress: [], delegation: [] };
  const order = request.order_id === null ? undefined : await findOrder(db, request.order_id);
  const steps = order === undefined ? [] : await listSteps(db, order.id, stepsShown);
  return {
    request: {
      authorities: [...authoritiesOf(request)],
      domains: [...namesOf(request)],
      challenge: request.challenge,
      dns_provider: request.dns_provider_id,
      key: request.key_kind as NonNullable<Issuance['request']>['key'],
      keep_key: request.keep_key === 1,
      profile: request.profile,
    },
    authority: toAuthority(request, await findAuthorityNames(db, [issuerOf(request)])),
    renewal: toRenewal(request, order),
    progress: toProgress(order, steps),
    delegation: delegationOf(request, order, zone),
  };
}

/** By the certificate; those that were imported are left out. */
export async function readListedIssuance(
  db: Db,
  certificates: readonly Pick<CertificateRow, 'id' | 'source'>[],
): Promise<ReadonlyMap<string, ListedIssuance>> {
  const issued = certificates.filter(({ source }) => source === 'acme').map(({ id }) => id);
  const requests = await findRequests(db, issued);
  const listed = await toListedIssuance(db, requests);
  return new Map(requests.map(({ certificate_id }, index) => [certificate_id, listed[index] ?? notIssuedHere]));
}

type Listed = { readonly [Name in keyof ListedIssuance]: NonNullable<ListedIssuance[Name]> };

/** Of each request, in their order. */
export async function toListedIssuance(db: Db, requests: readonly CertificateRequestRow[]): Promise<readonly Listed[]> {
  if (requests.length === 0) return [];
  const names = await findAuthorityNames(db, [...new Set(requests.map(issuerOf))]);
  const found = await findOrders(
    db,
    requests.flatMap(({ order_id }) => order_id ?? []),
  );
  const orders = new Map(found.map((order) => [order.id, order]));
  return requests.map((request) => ({
    authority: toAuthority(request, names),
    renewal: toRenewal(request, orders.get(request.order_id ?? '')),
  }));
}

/** Who has issued it, or else who is asked next. */
function issuerOf(request: CertificateRequestRow): string {
  return request.issued_by ?? authorityOf(request);
}

function toAuthority(request: CertificateRequestRow, names: ReadonlyMap<string, string>): Listed['authority'] {
  const id = issuerOf(request);
  return { id, name: names.get(id) ?? id };
}

/** The steps of an order, and the one that is under way. */
export function toProgress(order: AcmeOrderRow | undefined, steps: readonly AcmeStepRow[]): Line[] {
  const lines = steps.map(
    ({ step, ok, at, domain, words }): Line => ({
      ...{ step, domain, words },
      state: ok === 1 ? 'done' : 'failed',
      at: toRfc3339(at),
    }),
  );
  if (order === undefined || order.next_at === null) return lines;
  const running: Line = {
    ...{ step: order.step, state: 'running', domain: null, words: order.waits_for },
    at: toRfc3339(order.step_since),
  };
  return [...lines, running];
}

function toRenewal(
  request: CertificateRequestRow,
  order: Pick<AcmeOrderRow, 'next_at' | 'step'> | undefined,
): Listed['renewal'] {
  const { next_at, window_start, window_end, last_error, last_error_at, attempts } = request;
  const isRunning = order !== undefined && order.next_at !== null && order.step !== 'clean';
  const waiting = attempts > 0 ? 'waiting' : 'planned';
  return {
    state: isRunning ? 'running' : next_at === null ? 'off' : waiting,
    next_at: next_at === null ? null : toRfc3339(next_at),
    window:
      window_start === null || window_end === null
        ? null
        : { start: toRfc3339(window_start), end: toRfc3339(window_end) },
    last_error,
    last_error_at: last_error_at === null ? null : toRfc3339(last_error_at),
    attempts,
  };
}

/** One CNAME for each domain, where the zone of this service proves them. */
function delegationOf(
  request: CertificateRequestRow,
  order: AcmeOrderRow | undefined,
  zone: string | undefined,
): Issuance['delegation'] {
  if (request.challenge !== 'dns-01' || request.dns_provider_id !== null || zone === undefined) return [];
  const domains = [...new Set(namesOf(request).map(withoutWildcard))];
  const { looked_at = null, missing = null } = order ?? {};
  const lacking = new Set(missing === null ? [] : (JSON.parse(missing) as string[]));
  return domains.map((domain) => {
    const name = challengeName(domain);
    return {
      ...{ name, target: delegationTarget(zone, request.organization_id, domain) },
      seen: looked_at === null ? null : !lacking.has(name),
      looked_at: looked_at === null ? null : toRfc3339(looked_at),
    };
  });
}
