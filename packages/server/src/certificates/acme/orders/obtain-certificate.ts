import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { KeyKind } from '@waxwing/pki/generate-key.ts';
import { requireSealingKey } from '../../../database/sealing-key.ts';
import { findVersion } from '../../certificate-store.ts';
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

/** Fetches the certificate and checks it. @returns the material, to be stored, or why there is none */
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
  const checked = await checkIssued(needs, answer.pem, key, namesOf(request));
  return 'words' in checked ? refusedFor(checked.words) : checked;
}
