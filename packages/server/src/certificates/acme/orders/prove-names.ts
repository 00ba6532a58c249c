import { createHash } from 'node:crypto';
import type { AcmeChallengeRow } from '../../../database/schema/acme-tables.ts';
import { challengeName, delegationTarget } from '../proofs/delegation-target.ts';
import type { DnsProvider } from '../proofs/dns-provider.ts';
import { findDnsProvider } from '../proofs/dns-provider-store.ts';
import { accountOf } from '../proofs/manage-dns-providers.ts';
import type { AcmeAccount, AcmeAuthorization, AcmeClient } from '../protocol/acme-port.ts';
import {
  type Act,
  accountOfAuthority,
  done,
  failedBy,
  type Met,
  notYet,
  type OrderNeeds,
  type OrderRun,
  passed,
  recordOf,
  refusedFor,
} from './order-run.ts';
import { columnsOf } from './place-order.ts';
import { findContested, isProvedElsewhere, listChallenges, putChallenge, updateChallenge } from './proof-store.ts';

const authorizationsAtOnce = 8;
const looksAtOnce = 8;

/** Reads which names are still to be proved, and keeps what proves them: from then on it is answered. */
export const readAuthorizations: Act = async (needs, run, signal) => {
  const { order, authority, client } = run;
  const account = accountOfAuthority(needs, authority);
  const url = order.url ?? '';
  const read = await client.readOrder(account, url, signal);
  if (read.kind !== 'done') return failedBy(read);
  const columns = columnsOf(url, read.order);
  // Ready before anything was proved: the authority spares the account what it has proved before.
  if (read.order.status !== 'pending' && read.order.status !== 'ready') {
    const words = read.order.error?.words ?? null;
    const { status } = read.order;
    return { answer: { kind: 'order', status, words, retryAfterMs: read.retryAfterMs }, columns, told: [] };
  }
  const rows: AcmeChallengeRow[] = [];
  const proved: { readonly domain: string; readonly url: string }[] = [];
  for (let first = 0; first < read.order.authorizations.length; first += authorizationsAtOnce) {
    const urls = read.order.authorizations.slice(first, first + authorizationsAtOnce);
    const answers = await Promise.all(urls.map((each) => client.readAuthorization(account, each, signal)));
    for (const [index, answer] of answers.entries()) {
      if (answer.kind !== 'done') return failedBy(answer);
      const { authorization } = answer;
      const at = urls[index] ?? '';
      if (authorization.status === 'valid') {
        proved.push({ domain: authorization.identifier.value, url: at });
        continue;
      }
      const made = await challengeOf(needs, run, account, at, authorization);
      if ('answer' in made) return made;
      rows.push(made);
    }
  }
  const [one] = proved;
  if (one !== undefined) {
    for (const each of proved) await takeBackProof(needs, run, account, each, signal);
    return refusedFor('Another order proved this name before. The next order proves it anew.', one.domain);
  }
  const contested = await findContested(needs.database.db, order, rows);
  if (contested.length > 0) {
    // Those of the other order as well: it may have been placed only to wait until the names are proved here.
    for (const each of contested) await client.deactivate(account, each.authorization_url, signal);
    return refusedFor(contestedWords, contested[0]?.domain);
  }
  const write = async (trx: Parameters<typeof putChallenge>[0]) => {
    for (const row of rows) await putChallenge(trx, row);
  };
  const told = rows.map(({ domain }) => ({ domain }));
  return done({ columns, write, told });
};

const contestedWords =
  'An order of another organization is proving this name at the same authority, which takes one proof for both. Neither gets a certificate: the next order proves it anew.';

/**
 * All organizations share the account of an authority, so what one has proved would spare another the proof. A proof of
 * an order that still runs is left to that order.
 */
async function takeBackProof(
  { database }: OrderNeeds,
  { order, client }: OrderRun,
  account: AcmeAccount,
  proof: { readonly domain: string; readonly url: string },
  signal: AbortSignal,
): Promise<void> {
  if (await isProvedElsewhere(database.db, { ...proof, orderId: order.id })) return;
  await client.deactivate(account, proof.url, signal);
}

async function challengeOf(
  { parts, zone, clock }: OrderNeeds,
  { order, request }: OrderRun,
  account: AcmeAccount,
  authorizationUrl: string,
  authorization: AcmeAuthorization,
): Promise<AcmeChallengeRow | Met> {
  const domain = authorization.identifier.value;
  if (authorization.status !== 'pending') {
    return refusedFor(`The authorization is ${authorization.status}. ${wordsOf(authorization)}`.trim(), domain);
  }
  const challenge = authorization.challenges.find(({ type }) => type === request.challenge);
  if (challenge === undefined) {
    const offered = authorization.challenges.map(({ type }) => type).join(', ');
    return refusedFor(`The authority does not offer ${request.challenge}, but ${offered}.`, domain);
  }
  const keyAuthorization = await parts.keyAuthorization(account.key, challenge.token);
  const byDns = request.challenge === 'dns-01';
  const isOurs = request.dns_provider_id === null && zone !== undefined;
  const recordName = isOurs ? delegationTarget(zone, order.organization_id, domain) : challengeName(domain);
  return {
    token: challenge.token,
    ...{ organization_id: order.organization_id, order_id: order.id, type: request.challenge, domain },
    ...{ authorization_url: authorizationUrl, challenge_url: challenge.url, key_authorization: keyAuthorization },
    dns_provider_id: byDns ? request.dns_provider_id : null,
    record_name: byDns ? recordName : null,
    record_value: byDns ? createHash('sha256').update(keyAuthorization).digest('base64url') : null,
    ...{ presented: 0, offered: 0, created_at: clock.now() },
  };
}

/** Sets the records at the provider. Other proofs are answered from their rows. */
export const present: Act = async (needs, { order, request }, signal) => {
  const challenges = await listChallenges(needs.database.db, order.id);
  const provider = await providerOf(needs, request.dns_provider_id);
  if (provider === undefined)
    return request.dns_provider_id === null ? passed() : refusedFor('Its DNS provider is gone.');
  const told = [];
  for (const challenge of challenges) {
    const isSet = challenge.presented === answered;
    const name = isSet ? recordOf(challenge).name : await aliasOr(needs, challengeName(challenge.domain), signal);
    if (isInZone(needs.zone, name)) {
      const words = `${challengeName(challenge.domain)} leads into the zone of this service. Request it without a DNS provider.`;
      return refusedFor(words, challenge.domain);
    }
    const record = { ...recordOf(challenge), name };
    const words = provider.byHand ? `Set the TXT record ${name} to ${record.value}` : `TXT record ${name}`;
    told.push({ domain: challenge.domain, words });
    if (isSet) continue;
    // Before it is there: so it is removed as well when nobody hears of the answer.
    await needs.database.transaction((trx) => updateChallenge(trx, challenge, { presented: begun, record_name: name }));
    const result = await provider.client.present(record, signal);
    if (result.kind === 'failed') return providerFailed(result, challenge.domain);
    // So a slow provider is not asked again for what it has set, when this is interrupted.
    await needs.database.transaction((trx) => updateChallenge(trx, challenge, { presented: answered }));
  }
  return done({ told });
};

/** Of `presented`: the provider was asked to set the record; it has answered that it did. */
const [begun, answered] = [1, 2] as const;

function isInZone(zone: string | undefined, name: string): boolean {
  return zone !== undefined && name.toLowerCase().endsWith(`.${zone}`);
}

/** Where the record has to stand: a CNAME may lead elsewhere. */
async function aliasOr({ parts }: OrderNeeds, name: string, signal: AbortSignal): Promise<string> {
  try {
    return (await parts.dns.findAlias(name, signal)) ?? name;
  } catch {
    return name;
  }
}

export async function providerOf(
  { database, parts, ring }: OrderNeeds,
  id: string | null,
): Promise<{ readonly client: DnsProvider; readonly byHand: boolean } | undefined> {
  const row = id === null ? undefined : await findDnsProvider(database.db, id);
  if (row === undefined) return undefined;
  return { client: await parts.dns.provider(accountOf(ring(), row)), byHand: row.kind === 'manual' };
}

function providerFailed(result: { readonly words: string; readonly temporary: boolean }, domain: string): Met {
  return { answer: { ...result, kind: 'failed', type: 'dnsProvider', retryAfterMs: null }, domain };
}

/** Waits until the records are visible. The authority looks only once. */
export const checkProofs: Act = async ({ database, parts }, { order, request }, signal) => {
  if (request.challenge !== 'dns-01') return passed();
  const challenges = await listChallenges(database.db, order.id);
  // Together, or a silent name server would take the time of a task once for each name.
  for (let first = 0; first < challenges.length; first += looksAtOnce) {
    const some = challenges.slice(first, first + looksAtOnce);
    const results = await Promise.all(some.map((each) => parts.dns.isVisible(recordOf(each), signal)));
    for (const [index, result] of results.entries()) {
      if (result.kind === 'done') continue;
      const words = `${some[index]?.record_name}: ${result.words}`;
      return result.temporary ? notYet(words) : refusedFor(words, some[index]?.domain);
    }
  }
  return done();
};

export const offer: Act = async (needs, { order, authority, client }, signal) => {
  const account = accountOfAuthority(needs, authority);
  const challenges = await listChallenges(needs.database.db, order.id);
  for (const challenge of challenges.filter(({ offered }) => offered === 0)) {
    const answer = await client.offerChallenge(account, challenge.challenge_url, signal);
    if (answer.kind !== 'done' && !(await wasOffered(client, account, challenge, signal))) {
      return failedBy(answer, challenge.domain);
    }
    await needs.database.transaction((trx) => updateChallenge(trx, challenge, { offered: 1 }));
  }
  return done();
};

/** Whether the authority has looked already: it was told before, by a server that died before it could note that. */
async function wasOffered(
  client: AcmeClient,
  account: AcmeAccount,
  { authorization_url, challenge_url }: AcmeChallengeRow,
  signal: AbortSignal,
): Promise<boolean> {
  const read = await client.readAuthorization(account, authorization_url, signal);
  if (read.kind !== 'done') return false;
  const { status, challenges } = read.authorization;
  return status !== 'pending' || challenges.some((each) => each.url === challenge_url && each.status !== 'pending');
}

export const awaitProofs: Act = async (needs, { order, authority, client }, signal) => {
  const account = accountOfAuthority(needs, authority);
  const challenges = await listChallenges(needs.database.db, order.id);
  const waits: (number | null)[] = [];
  const told = [];
  for (const { authorization_url, domain } of challenges) {
    const answer = await client.readAuthorization(account, authorization_url, signal);
    if (answer.kind !== 'done') return failedBy(answer, domain);
    const { status } = answer.authorization;
    if (status === 'valid') told.push({ domain });
    else if (status === 'pending') waits.push(answer.retryAfterMs);
    else return refusedFor(wordsOf(answer.authorization) || `The authorization is ${status}.`, domain);
  }
  if (waits.length === 0) {
    // Whoever proved it has its proofs in the table by now.
    const [contested] = await findContested(needs.database.db, order, challenges);
    return contested === undefined ? done({ told }) : refusedFor(contestedWords, contested.domain);
  }
  const named = waits.filter((each) => each !== null);
  return notYet('The authority has not looked at every proof yet.', named.length === 0 ? null : Math.min(...named));
};

/** Why it is not valid, as the authority says. */
function wordsOf({ challenges }: AcmeAuthorization): string {
  const { error = null } = challenges.find((each) => each.error !== null) ?? {};
  return error?.words ?? '';
}

/** Removes the records that may be there, and takes the proofs back. @param run without client: the authority is gone */
export async function cleanUp(
  needs: OrderNeeds,
  run: Pick<OrderRun, 'order'> & Partial<Pick<OrderRun, 'authority' | 'client'>>,
  signal: AbortSignal,
): Promise<Met> {
  const { order, authority, client } = run;
  const challenges = await listChallenges(needs.database.db, order.id);
  const shown = challenges.filter(({ presented }) => presented > 0);
  let left: Met | undefined;
  for (const challenge of shown) {
    const provider = await providerOf(needs, challenge.dns_provider_id);
    const result = await provider?.client.cleanUp(recordOf(challenge), signal);
    // A provider that refuses to remove what it never said it has set has refused to set it.
    const isThere = challenge.presented === answered || (result?.kind === 'failed' && result.temporary);
    if (result?.kind === 'failed' && isThere) left ??= providerFailed(result, challenge.domain);
    else await needs.database.transaction((trx) => updateChallenge(trx, challenge, { presented: 0 }));
  }
  if (authority?.account_url != null && client !== undefined) {
    const account = accountOfAuthority(needs, authority);
    for (let first = 0; first < challenges.length; first += authorizationsAtOnce) {
      const some = challenges.slice(first, first + authorizationsAtOnce);
      const answers = await Promise.all(some.map((each) => client.deactivate(account, each.authorization_url, signal)));
      const later = answers.find((answer) => answer.kind === 'failed' && answer.temporary);
      // What is refused was not proved, or is not known any more.
      if (later?.kind === 'failed') left ??= failedBy(later);
    }
  }
  if (left !== undefined) return left;
  return shown.length === 0 ? passed() : done();
}
