import { type Found, searchBounded } from '../database/sql/bounded-search.ts';
import { firstSince } from '../database/sql/first-since.ts';
import type { AuditEvent } from './audit-chain.ts';
import type { Place } from './audit-index.ts';

export interface AuditSearch {
  readonly organizationId?: string | undefined;
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
  /** An action, or all that begin with one that ends in a dot. */
  readonly action?: string | undefined;
  /** Epoch milliseconds. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly before?: Place | undefined;
  readonly limit: number;
}

export type PlacedEvent = AuditEvent & Place;

interface Needs {
  list(filter: {
    readonly organizationId?: string;
    readonly subject?: string;
    readonly before?: Place;
    readonly limit: number;
  }): Promise<readonly PlacedEvent[]>;
  /** When the link was chained, epoch milliseconds; undefined when there is none (any more). */
  linkAt(link: number): Promise<number | undefined>;
  /** The first link that is kept, and the last one. */
  links(): Promise<{ readonly first: number; readonly last: number }>;
}

/** Links stand in the order of their commits, their times are of several clocks. */
const skewMs = 60_000;
/** An entry is found by its place, one by one. */
const entriesPerLook = 500;

/**
 * Entries of the trail, newest first. Organization and subject are indexed, and the beginning of a time is found by
 * halving. Actor and action are searched in a bounded part (see `searchBounded`): an index of them would double what
 * hand-outs cost.
 */
export async function searchAudit(needs: Needs, search: AuditSearch): Promise<Found<PlacedEvent>> {
  const { organizationId, subject, since, until, limit } = search;
  // By the subject, where there is one: whose it is, is looked at then.
  const ofWhom = subject === undefined ? organizationId !== undefined && { organizationId } : { subject };
  const filters = [search.actor, search.action, since, until, subject && organizationId];
  if (filters.every((filter) => filter === undefined)) {
    return { rows: await needs.list({ ...ofWhom, limit, ...(search.before && { before: search.before }) }) };
  }
  // Whoever goes on is within the time already.
  const isWithin = until === undefined || search.before !== undefined;
  const end = isWithin
    ? undefined
    : { link: await firstSince(await needs.links(), until + skewMs + 1, needs.linkAt), position: 0 };
  const start = search.before ?? end;
  return searchBounded<PlacedEvent>({
    async read(after, take) {
      const before = after ?? start;
      const events =
        subject === undefined || organizationId === undefined
          ? await needs.list({ ...ofWhom, limit: take, ...(before !== undefined && { before }) })
          : await listOwn(needs, subject, organizationId, before, take);
      const last = events.at(-1);
      const isOver = since !== undefined && last !== undefined && last.at < since - skewMs;
      // A part that is short is the last one.
      return isOver ? events.slice(0, -1) : events;
    },
    wanted: (event) => isWanted(event, search),
    take: limit,
    most: entriesPerLook,
  });
}

/**
 * Of a subject's entries the next ones, none before the first of the organization: a person's own sessions, which are no
 * organization's, may be hundreds since somebody changed their role.
 * @returns none where there is nothing of the organization: not even how much there is of another one may show
 */
async function listOwn(
  { list }: Pick<Needs, 'list'>,
  subject: string,
  organizationId: string,
  start: Place | undefined,
  take: number,
): Promise<readonly PlacedEvent[]> {
  const listBefore = (before: Place | undefined, limit: number) =>
    list({ subject, limit, ...(before !== undefined && { before }) });
  let events = await listBefore(start, take);
  let isLast = events.length < take;
  for (let looked = 0; !events.some((event) => isOf(event, organizationId)); looked += othersPerList) {
    const former = events.at(-1);
    if (isLast || looked >= othersPerLook || former === undefined) return [];
    events = await listBefore(former, othersPerList);
    isLast = events.length < othersPerList;
    const own = events.findIndex((event) => isOf(event, organizationId));
    if (own !== -1) return listBefore(own === 0 ? former : events[own - 1], take);
  }
  return events;
}

const othersPerList = 500;
const othersPerLook = 5_000;

function isOf(event: PlacedEvent, organizationId: string | undefined): boolean {
  return organizationId === undefined || event.organizationId === organizationId;
}

function isWanted(event: PlacedEvent, search: AuditSearch): boolean {
  const { actor, action, at } = event;
  if (!isOf(event, search.organizationId)) return false;
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = search;
  if (at < since || at > until) return false;
  if (search.actor !== undefined && actor !== search.actor) return false;
  if (search.action === undefined) return true;
  return search.action.endsWith('.') ? action.startsWith(search.action) : action === search.action;
}
