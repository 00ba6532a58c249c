import type { RecordedEvent } from '../../../audit/audit-trail.ts';
import type { Note } from '../../../database/change-feed.ts';
import type { Db } from '../../../database/database.ts';
import type { AcmeOrderRow, CertificateRequestRow } from '../../../database/schema/acme-tables.ts';
import type { CertificateRow } from '../../../database/schema/certificate-tables.ts';
import { lockOrganization } from '../../../organizations/organization.ts';
import { SealError } from '../../../secrets/envelope.ts';
import { findCertificate, lockCertificate, setUnissuedState } from '../../certificate-store.ts';
import { lockCurrentKey } from '../../store-version.ts';
import { endAuthorityRest, findAuthority, lockAuthority, updateAuthority } from '../authorities/authority-store.ts';
import { findDnsProvider } from '../proofs/dns-provider-store.ts';
import { findRequest, updateRequest } from '../requests/request-store.ts';
import { afterFailure } from './after-failure.ts';
import { authoritiesOf } from './begin-order.ts';
import { refuseForeignNames } from './foreign-names.ts';
import { type IssuedMaterial, storeIssued } from './issue-version.ts';
import { type Decision, nextStep, type Step, type StepAnswer } from './next-step.ts';
import { awaitIssue, fetchIssued, finalize, makeKey } from './obtain-certificate.ts';
import { type Act, type Met, type OrderNeeds, type OrderRun, refusedFor, stateOf } from './order-run.ts';
import { advanceOrder, deleteOrder, findLastIntent, findOrder, insertStep } from './order-store.ts';
import { delegate, findPlaced, placeOrder, register } from './place-order.ts';
import { deleteChallenges } from './proof-store.ts';
import { awaitProofs, checkProofs, cleanUp, offer, present, readAuthorizations } from './prove-names.ts';

/** In the audit trail. */
export const acmeActor = 'acme';

const acts: Readonly<Record<Exclude<Step, 'place' | 'store' | 'ended'>, Act>> = {
  delegate: async (needs, run, signal) =>
    (await refuseForeignNames(needs.database.db, run)) ?? delegate(needs, run, signal),
  register,
  find: findPlaced,
  authorizations: readAuthorizations,
  present,
  check: checkProofs,
  offer,
  wait: awaitProofs,
  key: makeKey,
  finalize,
  issue: awaitIssue,
  clean: cleanUp,
};

/** Takes the steps of an order that are due, one after the other, until the next one is due later. */
export async function runOrder(needs: OrderNeeds, orderId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const order = await findOrder(needs.database.db, orderId);
    if (order === undefined || order.next_at === null || order.next_at > needs.clock.now()) return;
    const certificate = await findCertificate(needs.database.db, order.certificate_id);
    const request = await findRequest(needs.database.db, order.certificate_id);
    const authority = await findAuthority(needs.database.db, order.authority_id);
    const client =
      authority &&
      (await needs.parts.client({ directory: authority.directory, rootPem: authority.root_pem ?? undefined }));
    if (certificate === undefined || request === undefined || authority === undefined || client === undefined) {
      return endAbandoned(needs, { order, ...(authority && client && { authority, client }) }, signal);
    }
    const isOver = certificate.state === 'revoked' && order.step !== 'clean';
    const run = { order, certificate, request, authority, client };
    const moved = isOver
      ? await settle(needs, run, refusedFor('The certificate was revoked.'))
      : await takeStep(needs, run, signal);
    if (!moved) return;
  }
}

/** @returns whether anything was written: else another server goes on, or this one stops */
async function takeStep(needs: OrderNeeds, run: OrderRun, signal: AbortSignal): Promise<boolean> {
  const step = run.order.step as Step;
  try {
    if (step === 'place') {
      const placed = await placeOrder(needs, run, signal);
      return placed !== undefined && !signal.aborted && settle(needs, placed.run, placed.met);
    }
    if (step === 'store') {
      const refusal = await refuseForeignNames(needs.database.db, run);
      if (refusal !== undefined) return settle(needs, run, refusal);
      const fetched = await fetchIssued(needs, run, signal);
      if (signal.aborted) return false;
      return 'material' in fetched ? settleIssued(needs, run, fetched) : settle(needs, run, fetched);
    }
    if (step === 'ended') return false;
    const met = await acts[step](needs, run, signal);
    // What was cut off on our side tells nothing of the authority.
    return !signal.aborted && settle(needs, run, met);
  } catch (error) {
    if (error instanceof SealError) return settle(needs, run, refusedFor(`A key does not open. ${error.message}`));
    throw error;
  }
}

/** Writes what a step has led to, with its progress and what follows, in one transaction. */
async function settle(needs: OrderNeeds, run: OrderRun, met: Met): Promise<boolean> {
  const { order, request } = run;
  const at = needs.clock.now();
  const provider =
    request.dns_provider_id === null ? undefined : await findDnsProvider(needs.database.db, request.dns_provider_id);
  const state = stateOf(order, request.challenge === 'dns-01', provider?.kind === 'manual');
  const decision = nextStep(state, met.answer, at);
  const waits_for = decision.kind === 'step' && met.answer.kind === 'notYet' ? met.answer.words : null;
  const isNews =
    decision.kind === 'failed' ||
    decision.step !== order.step ||
    met.answer.kind === 'failed' ||
    waits_for !== order.waits_for ||
    (met.columns?.missing !== undefined && met.columns.missing !== order.missing);
  return writing(needs, order, isNews, async (trx, certificate) => {
    const columns = { ...met.columns, ...(await met.seal?.(trx)), ...columnsAfter(order, decision, at), waits_for };
    if (!(await advanceOrder(trx, order, { ...columns, updated_at: at }))) return undefined;
    await met.write?.(trx);
    await tell(trx, order, met, at);
    if (decision.kind === 'failed') {
      return certificate === undefined ? [] : recordFailure(needs, trx, certificate, run, decision, at);
    }
    if (decision.step === 'ended') {
      await deleteChallenges(trx, order.id);
      if (certificate === undefined) await deleteOrder(trx, order.id);
    }
    return [];
  });
}

function columnsAfter(order: AcmeOrderRow, decision: Decision, at: number): Partial<AcmeOrderRow> {
  if (decision.kind === 'failed') {
    const begun = { step: 'clean', next_at: at, attempts: 0, step_since: at };
    return { ...begun, failure: decision.words, sealed_key: null, key_id: null };
  }
  const { step, attempts } = decision;
  const since = step === order.step ? order.step_since : at;
  const hasEnded = step === 'ended';
  return {
    ...{ step, attempts, step_since: since },
    next_at: hasEnded ? null : decision.at,
    ended_at: hasEnded ? at : null,
  };
}

async function tell(trx: Db, order: AcmeOrderRow, { answer, told, domain }: Met, at: number): Promise<void> {
  const line = { organization_id: order.organization_id, order_id: order.id, at, step: order.step };
  if (answer.kind === 'failed') {
    if (answer.words !== '') await insertStep(trx, { ...line, domain: domain ?? null, words: answer.words, ok: 0 });
    return;
  }
  if (isWaiting(answer)) return;
  const isBad = answer.kind === 'order' && answer.status === 'invalid';
  const lines = isBad ? [{ words: answer.words ?? 'The order is invalid.' }] : (told ?? [{}]);
  for (const each of lines) {
    const row = { domain: null, words: null, ...each, ok: isBad ? 0 : 1 } as const;
    await insertStep(trx, { ...line, ...row, words: row.words ?? null });
  }
}

function isWaiting(answer: StepAnswer): boolean {
  return answer.kind === 'notYet' || (answer.kind === 'order' && answer.status === 'pending');
}

/** The request fails with its order: another one follows later, with the next authority. */
async function recordFailure(
  { database, random }: OrderNeeds,
  trx: Db,
  certificate: CertificateRow,
  { order, authority: used }: OrderRun,
  failure: Extract<Decision, { kind: 'failed' }>,
  at: number,
): Promise<RecordedEvent[]> {
  const request = await findRequest(trx, certificate.id);
  if (request === undefined) return [];
  const ids = authoritiesOf(request);
  const attempts = request.attempts + 1;
  const next = ids[(request.authority_index + 1) % ids.length] ?? '';
  const lastIntent = await findLastIntent(trx, next, order.names_hash);
  const authority = await lockAuthority(trx, database, order.authority_id);
  // Many orders meet the same failure at once: until the rest is over they count as one.
  const isResting = (authority?.rests_until ?? 0) > at;
  const authorityFailures = Math.max(1, (authority?.failures ?? 0) + (isResting ? 0 : 1));
  const then = afterFailure(
    {
      ...{ failure, authorities: ids.length, authorityIndex: request.authority_index, attempts, authorityFailures },
      lastIntentAt: () => lastIntent,
    },
    at,
    random,
  );
  if (failure.type === 'accountDoesNotExist' && authority?.account_url === used.account_url) {
    await updateAuthority(trx, order.authority_id, { account_url: null, orders_url: null });
  }
  if (then.authorityAt !== null) {
    const rests_until = Math.max(authority?.rests_until ?? 0, then.authorityAt);
    await updateAuthority(trx, order.authority_id, { failures: authorityFailures, rests_until });
  }
  const { words } = failure;
  const isOver = certificate.state === 'revoked';
  const columns: Partial<CertificateRequestRow> = {
    ...{ attempts, last_error: words, last_error_at: at, updated_at: at },
    authority_index: then.authorityIndex,
    next_at: isOver ? null : then.at,
  };
  await updateRequest(trx, certificate.id, columns);
  if (then.isRoundOver) await setUnissuedState(trx, certificate, 'failed', at);
  if (order.purpose === 'first') return [];
  const detail = { authority: order.authority_id, error: words.slice(0, 500), attempts };
  return [eventOf(certificate, 'certificate.renewal-failed', detail, at)];
}

/** Stores the version, plans its renewal, and removes the proofs next. */
async function settleIssued(needs: OrderNeeds, run: OrderRun, issued: IssuedMaterial): Promise<boolean> {
  const { order } = run;
  const { clock, parts, random, database } = needs;
  const at = clock.now();
  const decision = nextStep(stateOf(order, false, false), { kind: 'done' }, at);
  return writing(needs, order, true, async (trx, certificate, keys) => {
    if (certificate === undefined) return undefined;
    const renewal = order.purpose === 'renewal';
    const columns = { ...columnsAfter(order, decision, at), sealed_key: null, key_id: null };
    if (!(await advanceOrder(trx, order, { ...columns, updated_at: at }))) return undefined;
    const { id, number } = await storeIssued(trx, database, keys, certificate, issued, at);
    await trx.updateTable('acme_order').set({ version_id: id }).where('id', '=', order.id).execute();
    await endAuthorityRest(trx, order.authority_id);
    const { notBefore, notAfter, domains, fingerprintSha256 } = issued.material;
    const next = parts.renewalTime({ now: at, notBefore, notAfter, window: undefined, random: random() });
    await updateRequest(trx, certificate.id, {
      ...{ next_at: next, window_start: null, window_end: null, ari_next_at: at, authority_index: 0 },
      issued_by: order.authority_id,
      ...{ attempts: 0, last_error: null, last_error_at: null, updated_at: at },
    });
    await tell(trx, order, { answer: { kind: 'done' } }, at);
    const detail = {
      ...{ version: id, number, authority: order.authority_id, domains: domains.slice(0, domainsRecorded) },
      ...{ domain_count: domains.length, fingerprint_sha256: fingerprintSha256 },
    };
    return [eventOf(certificate, renewal ? 'certificate.renew' : 'certificate.issue', detail, at)];
  });
}

/** The audit trail is kept for years. The version has all of them. */
const domainsRecorded = 10;

function eventOf(
  { organization_id: organizationId, id: subject }: CertificateRow,
  action: RecordedEvent['action'],
  detail: object,
  at: number,
): RecordedEvent {
  return { organizationId, actor: acmeActor, action, subject, at, detail: JSON.stringify(detail) };
}

/**
 * A transaction that holds the lease and the certificate.
 * @param isNews whether anybody is to hear of it
 * @param write returns what the audit trail keeps; undefined: the order has changed, and nothing is to be written
 */
async function writing(
  { feed, audit, database, ring, holds }: OrderNeeds,
  order: AcmeOrderRow,
  isNews: boolean,
  write: (
    trx: Db,
    certificate: CertificateRow | undefined,
    keys: Awaited<ReturnType<typeof lockCurrentKey>>,
  ) => Promise<readonly RecordedEvent[] | undefined>,
): Promise<boolean> {
  const isStored = order.step === 'store';
  try {
    return await feed.write(async (trx, note: Note) => {
      if (holds !== undefined && !(await holds(trx))) throw new Stale();
      if (isStored) await lockOrganization(trx, database, order.organization_id);
      const keys = isStored ? await lockCurrentKey(trx, ring) : ring();
      const certificate = await lockCertificate(trx, database, order.certificate_id);
      const events = await write(trx, certificate, keys);
      if (events === undefined) throw new Stale();
      if (isNews) note('certificate', order.certificate_id, order.organization_id);
      if (events.length > 0) await audit.record(trx, events);
      return true;
    });
  } catch (error) {
    if (error instanceof Stale) return false;
    throw error;
  }
}

/** Another server has gone on with the order. */
class Stale extends Error {
  override readonly name = 'Stale';
}

/** Its certificate is gone: only the proofs are left to be removed. */
async function endAbandoned(needs: OrderNeeds, run: Parameters<typeof cleanUp>[1], signal: AbortSignal): Promise<void> {
  const { order } = run;
  const { answer } = await cleanUp(needs, run, signal);
  if (signal.aborted) return;
  const at = needs.clock.now();
  const decision = nextStep({ ...stateOf(order, true, false), step: 'clean' }, answer, at);
  const isOver = decision.kind === 'failed' || decision.step === 'ended';
  await needs.database.transaction(async (trx) => {
    if (isOver) return deleteOrder(trx, order.id);
    const { attempts, at: next_at } = decision;
    await advanceOrder(trx, order, { step: 'clean', attempts, next_at, updated_at: at });
  });
}
