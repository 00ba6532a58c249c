import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { readPem } from '@waxwing/pki/der/pem.ts';
import type { KeyKind } from '@waxwing/pki/generate-key.ts';
import { requireSealingKey } from '../../../database/sealing-key.ts';
import { findVersion } from '../../certificate-store.ts';
import { judgeChain } from '../../chain/judge-chain.ts';
import { openPrivateKey } from '../../hand-out.ts';
import type { AcmeOrder } from '../protocol/acme-port.ts';
import { openOrderKey, sealOrderKey } from '../sealed-acme.ts';
import { namesOf } from './begin-order.ts';
import { checkIssued, type IssuedMaterial } from './issue-version.ts';
import {
  type Act,
  accountOfAuthority,
  failedBy,
  identifiersOf,
  type Met,
  notYet,
  type OrderNeeds,
  type OrderRun,
  passed,
  refusedFor,
} from './order-run.ts';
import { columnsOf } from './place-order.ts';

/** Makes the private key, or takes that of the current version where it is to be kept. */
export const makeKey: Act = async (needs, run) => {
  const { order, request } = run;
  if (order.sealed_key !== null) return passed();
  const key = (await keptKey(needs, run)) ?? (await needs.parts.newKey(request.key_kind as KeyKind));
  return passed({
    async seal(trx) {
      const keys = needs.ring();
      await requireSealingKey(trx, keys.current.id);
      return { sealed_key: sealOrderKey(keys, order, key), key_id: keys.current.id };
    },
  });
};

async function keptKey(
  { database, ring }: OrderNeeds,
  { certificate, request }: OrderRun,
): Promise<KeyObject | undefined> {
  if (request.keep_key === 0 || certificate.current_version === null) return undefined;
  const version = await findVersion(database.db, certificate, certificate.current_version);
  if (version === undefined) return undefined;
  const { organization_id: organizationId, certificate_id: certificateId, id, sealed_key: sealedKey } = version;
  return createPrivateKey(openPrivateKey(ring(), { id, organizationId, certificateId, sealedKey }));
}

export const finalize: Act = async (needs, run, signal) => {
  const { order, request, authority, client } = run;
  const account = accountOfAuthority(needs, authority);
  const url = order.url ?? '';
  const read = await client.readOrder(account, url, signal);
  if (read.kind !== 'done') return failedBy(read);
  if (read.order.status !== 'ready') return orderMet(url, read.order, read.retryAfterMs);
  const { sealed_key } = order;
  if (sealed_key === null) return refusedFor('The private key of the order is gone.');
  const key = openOrderKey(needs.ring(), { ...order, sealed_key });
  const csr = await needs.parts.certificateRequest(key, identifiersOf(request));
  const answer = await client.finalize(account, read.order.finalize, csr, signal);
  if (answer.kind === 'done') return orderMet(url, answer.order, answer.retryAfterMs);
  return answer.type === 'orderNotReady' ? notYet(answer.words, answer.retryAfterMs) : failedBy(answer);
};

export const awaitIssue: Act = async (needs, { order, authority, client }, signal) => {
  const url = order.url ?? '';
  const read = await client.readOrder(accountOfAuthority(needs, authority), url, signal);
  return read.kind === 'done' ? orderMet(url, read.order, read.retryAfterMs) : failedBy(read);
};

function orderMet(url: string, order: AcmeOrder, retryAfterMs: number | null): Met {
  const { status, error } = order;
  const answer = { kind: 'order', status, words: error?.words ?? null, retryAfterMs } as const;
  return { answer, columns: columnsOf(url, order) };
}

/** An authority may offer a certificate with several chains (RFC 8555 §7.4.2). More alternate ones are not looked at. */
const mostAlternates = 5;

/**
 * Fetches the certificate and checks it. Where there is a remark on the default chain, the first alternate one without a
 * remark is taken instead.
 * @returns the material, to be stored, or why there is none
 */
export async function fetchIssued(
  needs: OrderNeeds,
  { order, request, authority, client }: OrderRun,
  signal: AbortSignal,
): Promise<IssuedMaterial | Met> {
  const account = accountOfAuthority(needs, authority);
  let url = order.certificate_url;
  if (url === null) {
    const read = await client.readOrder(account, order.url ?? '', signal);
    if (read.kind !== 'done') return failedBy(read);
    url = read.order.certificate;
    if (url === null) return notYet('The authority has not said where the certificate is.', read.retryAfterMs);
  }
  const answer = await client.download(account, url, signal);
  if (answer.kind !== 'done') return failedBy(answer);
  const { sealed_key } = order;
  if (sealed_key === null) return refusedFor('The private key of the order is gone.');
  const key = openOrderKey(needs.ring(), { ...order, sealed_key });
  const check = (pem: string) => checkIssued(needs, pem, key, namesOf(request));
  const checked = await check(answer.pem);
  if ('material' in checked && (await isSound(needs, checked))) return checked;
  const leaf = 'material' in checked ? checked.material.fingerprintSha256 : firstFingerprint(answer.pem);
  for (const alternate of [...new Set(answer.alternates)].slice(0, mostAlternates)) {
    const other = await client.download(account, alternate, signal);
    if (other.kind !== 'done') continue;
    const found = await check(other.pem);
    if ('words' in found || found.material.fingerprintSha256 !== leaf) continue;
    if (await isSound(needs, found)) return found;
  }
  return 'words' in checked ? refusedFor(checked.words) : checked;
}

/** Whether there is no remark. A root that the authority sends along does not count as known: clients may not have it. */
async function isSound(needs: OrderNeeds, { material: { chain }, remarks }: IssuedMaterial): Promise<boolean> {
  return remarks.length === 0 && (await judgeChain(needs, { chain, givenRoot: undefined })).remarks.length === 0;
}

/** Of the first certificate in a chain that was not accepted: the leaf (RFC 8555 §9.1). */
function firstFingerprint(pem: string): string | undefined {
  const first = readPem(pem).blocks.find(({ label }) => label === 'CERTIFICATE');
  return first && createHash('sha256').update(first.bytes).digest('hex');
}
