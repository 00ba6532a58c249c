import { readCertificates } from '@waxwing/pki/x509.ts';
import { findCertificate, findVersion, lockCertificate } from '../../certificate-store.ts';
import { findAuthority } from '../authorities/authority-store.ts';
import { renewalInfoTime, renewalTimeAfterChoice } from '../renewal/renewal-time.ts';
import { findRequest, updateRequest } from '../requests/request-store.ts';
import type { OrderNeeds } from './order-run.ts';
import { findOrderOfVersion } from './order-store.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** An authority that has no windows may get them. */
const withoutWindowsMs = 24 * hourMs;

/** Asks the authority when the current version is to be renewed, and plans that anew where its window has changed. */
export async function followWindow(needs: OrderNeeds, certificateId: string, signal: AbortSignal): Promise<void> {
  const { database, clock } = needs;
  const asked = await askWindow(needs, certificateId, signal);
  if (signal.aborted) return;
  await database.transaction(async (trx) => {
    if (needs.holds !== undefined && !(await needs.holds(trx))) return;
    const now = clock.now();
    const certificate = await lockCertificate(trx, database, certificateId);
    const request = await findRequest(trx, certificateId);
    if (certificate === undefined || request === undefined) return;
    if (certificate.state !== 'issued' || asked === undefined) {
      return updateRequest(trx, certificateId, { ari_next_at: null });
    }
    const ari_next_at = asked.hasWindows ? renewalInfoTime(asked.retryAfterMs, now) : now + withoutWindowsMs;
    const { window } = asked;
    const isOther = window?.start !== request.window_start || window?.end !== request.window_end;
    if (window === undefined || certificate.current_version !== asked.version) {
      return updateRequest(trx, certificateId, { ari_next_at });
    }
    const columns = { ari_next_at, window_start: window.start, window_end: window.end };
    // One that is under way, or waits after a failure, keeps its time.
    if (!isOther || request.next_at === null || request.attempts > 0) return updateRequest(trx, certificateId, columns);
    const { notBefore, notAfter } = asked;
    const planned = needs.parts.renewalTime({ now, notBefore, notAfter, window, random: needs.random() });
    const since = certificate.current_since ?? 0;
    // An older one was made current by a person. Its window is over, because it was renewed before.
    const isOlder = asked.number < certificate.versions;
    const earliest = isOlder ? renewalTimeAfterChoice({ notBefore, notAfter }, since) : since + minuteMs;
    const next_at = Math.max(planned, earliest);
    await updateRequest(trx, certificateId, { ...columns, next_at });
  });
}

interface AskedWindow {
  readonly version: string;
  readonly number: number;
  readonly notBefore: number;
  readonly notAfter: number;
  /** Whether the authority has such windows at all. */
  readonly hasWindows: boolean;
  readonly retryAfterMs: number | null;
  readonly window: { readonly start: number; readonly end: number } | undefined;
}

/** @returns undefined where there is nothing to ask for */
async function askWindow(
  { database: { db }, parts }: OrderNeeds,
  certificateId: string,
  signal: AbortSignal,
): Promise<AskedWindow | undefined> {
  const certificate = await findCertificate(db, certificateId);
  if (certificate?.state !== 'issued' || certificate.current_version === null) return undefined;
  const version = await findVersion(db, certificate, certificate.current_version);
  const order = version === undefined ? undefined : await findOrderOfVersion(db, version);
  const authority = order === undefined ? undefined : await findAuthority(db, order.authority_id);
  const [leaf] = version === undefined ? [] : readCertificates(version.chain);
  const id = leaf === undefined ? undefined : parts.renewalId(leaf.der);
  if (version === undefined || authority === undefined || id === undefined) return undefined;
  const { id: versionId, number } = version;
  const facts = { version: versionId, number, notBefore: version.not_before, notAfter: version.not_after };
  const client = await parts.client({ directory: authority.directory, rootPem: authority.root_pem ?? undefined });
  const directory = await client.directory(signal);
  if (directory.kind === 'done' && !directory.hasRenewalInfo) {
    return { ...facts, hasWindows: false, retryAfterMs: null, window: undefined };
  }
  const answer = directory.kind === 'done' ? await client.renewalInfo(id, signal) : directory;
  const { retryAfterMs } = answer;
  const hasWindows = true;
  if (answer.kind !== 'done') return { ...facts, hasWindows, retryAfterMs: retryAfterMs ?? hourMs, window: undefined };
  const { start, end } = answer;
  return { ...facts, hasWindows, retryAfterMs, window: end > start ? { start, end } : undefined };
}
