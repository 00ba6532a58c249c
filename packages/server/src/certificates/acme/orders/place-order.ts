import { registerAccount } from '../authorities/register-account.ts';
import { challengeName, delegationTarget, withoutWildcard } from '../proofs/delegation-target.ts';
import type { AcmeIdentifier, AcmeOrder } from '../protocol/acme-port.ts';
import { namesOf } from './begin-order.ts';
import {
  type Act,
  accountOfAuthority,
  done,
  failedBy,
  identifiersOf,
  isManaged,
  type Met,
  notYet,
  type OrderNeeds,
  type OrderRun,
  passed,
} from './order-run.ts';
import { advanceOrder, findKnownUrls, mostUrls } from './order-store.ts';

/** The request is under way for so long at most: after that another server may look for the order. */
const underWayMs = 60_000;
/** An authority's list may be long. */
const mostListed = 50;

/** CNAMEs that are looked for at the same time. */
const looksAtOnce = 8;

/** Waits until every CNAME of managed delegation is there. */
export const delegate: Act = async ({ parts, zone, clock }, { request, order }, signal) => {
  if (!isManaged(request) || zone === undefined) return passed();
  const domains = [...new Set(namesOf(request).map(withoutWildcard))];
  const missing: string[] = [];
  for (let first = 0; first < domains.length; first += looksAtOnce) {
    const looks = domains.slice(first, first + looksAtOnce).map(async (domain) => {
      const name = challengeName(domain);
      const found = await parts.dns.findAlias(name, signal);
      const isThere = found?.toLowerCase() === delegationTarget(zone, order.organization_id, domain);
      return isThere ? [] : [name];
    });
    missing.push(...(await Promise.all(looks)).flat());
  }
  const columns = { looked_at: clock.now(), missing: JSON.stringify(missing) };
  const [one] = missing;
  if (one === undefined) return done({ columns });
  const target = delegationTarget(zone, order.organization_id, one.slice(challengeName('').length));
  return { ...notYet(`Waiting for the CNAME of ${one} to ${target}.`), columns };
};

export const register: Act = async (needs, { authority }, signal) => {
  if (authority.account_url !== null && authority.next_sealed_key === null) return passed();
  const answer = await registerAccount(needs, authority, signal);
  return answer.kind === 'done' ? done() : failedBy(answer);
};

/**
 * Writes that the order is about to be placed, and places it. Whoever finds that intent without its answer looks for
 * the order (`find`).
 * @returns undefined where another server was faster
 */
export async function placeOrder(
  needs: OrderNeeds,
  run: OrderRun,
  signal: AbortSignal,
): Promise<{ readonly run: OrderRun; readonly met: Met } | undefined> {
  const { order, request, authority, client } = run;
  // An account that is lost is looked for before anything is intended.
  if (authority.account_url === null) return { run, met: { answer: { kind: 'noAccount' }, told: [] } };
  const at = needs.clock.now();
  const intent = { step: 'find', intent_at: at, next_at: at + underWayMs, step_since: at };
  const isOurs = await needs.database.transaction(async (trx) => {
    if (needs.holds !== undefined && !(await needs.holds(trx))) return false;
    return advanceOrder(trx, order, { ...intent, updated_at: at });
  });
  if (!isOurs) return undefined;
  const intended: OrderRun = {
    ...run,
    order: { ...order, intent_at: at, revision: order.revision + 1, step: 'place' },
  };
  // Profiles are named by each authority: what one offers another may not know.
  const profile = request.profile ?? authority.profile;
  const answer = await client.placeOrder(
    accountOfAuthority(needs, authority),
    {
      identifiers: identifiersOf(request),
      ...(profile !== null && { profile }),
      ...(order.replaces !== null && { replaces: order.replaces }),
    },
    signal,
  );
  if (answer.kind === 'done') return { run: intended, met: done({ columns: columnsOf(answer.url, answer.order) }) };
  const met = failedBy(answer);
  // Refused: it was not placed.
  const columns = answer.type === null ? {} : { intent_at: null };
  const isReplacement = order.replaces !== null && !answer.temporary && answer.type !== 'accountDoesNotExist';
  if (!isReplacement) return { run: intended, met: { ...met, columns } };
  // The authority may not know the version as one of its own; nothing else depends on that.
  return {
    run: intended,
    met: { answer: { ...answer, temporary: true }, columns: { ...columns, replaces: null } },
  };
}

/** Looks for the order that may have been placed. */
export const findPlaced: Act = async (needs, { authority, client, request }, signal) => {
  if (authority.orders_url === null || authority.account_url === null) return { answer: { kind: 'noOrder' }, told: [] };
  const account = accountOfAuthority(needs, authority);
  const listed = await client.listOrders(account, authority.orders_url, signal);
  if (listed.kind !== 'done') return failedBy(listed);
  const wanted = keyOf(identifiersOf(request));
  for (const url of await lastUnknown(needs, authority.id, listed.urls)) {
    const read = await client.readOrder(account, url, signal);
    if (read.kind !== 'done') {
      if (read.temporary) return failedBy(read);
      continue;
    }
    if (read.order.status !== 'invalid' && keyOf(read.order.identifiers) === wanted) {
      return done({ columns: columnsOf(url, read.order) });
    }
  }
  return { answer: { kind: 'noOrder' }, told: [] };
};

/** Those listed last that are not in our table, the last one first. */
async function lastUnknown(
  { database }: Pick<OrderNeeds, 'database'>,
  authorityId: string,
  urls: readonly string[],
): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (let end = urls.length; end > 0 && unknown.length < mostListed; end -= mostUrls) {
    const some = urls.slice(Math.max(0, end - mostUrls), end);
    const known = await findKnownUrls(database.db, authorityId, some);
    unknown.push(...some.filter((url) => !known.has(url)).reverse());
  }
  return unknown.slice(0, mostListed);
}

export function columnsOf(url: string, { finalize, certificate }: AcmeOrder) {
  return { url, finalize, certificate_url: certificate };
}

function keyOf(identifiers: readonly AcmeIdentifier[]): string {
  return JSON.stringify(identifiers.map(({ type, value }) => `${type}:${value.toLowerCase()}`).toSorted());
}
