import { createHmac, timingSafeEqual } from 'node:crypto';

/** One thing that happened: who did what to which object. `detail` is JSON and holds no secret and no phone number. */
export interface AuditEvent {
  /** Empty for what concerns the whole instance. */
  readonly organizationId: string;
  /** `cli`, `system`, or a kind and id such as `deployment:01a1…`. */
  readonly actor: string;
  /** Object and verb, dotted: `certificate.import`, `deployment.rotate`, `private-key.hand-out`. */
  readonly action: string;
  /** Id of the object acted on. */
  readonly subject: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly detail: string;
}

export interface AuditLink {
  readonly link: number;
  /** UTC day, `YYYY-MM-DD`; never runs backwards along the chain. */
  readonly day: string;
  readonly at: number;
}

/** The chain before its first link. */
export const genesisMac = '';

/** Every field of an event, as the JSON array over which codes are made, and from which the database takes its row. */
export function eventText({ organizationId, actor, action, subject, at, detail }: AuditEvent): string {
  return JSON.stringify([organizationId, actor, action, subject, at, detail]);
}

/**
 * HMAC-SHA256 (RFC 2104) over the former link's code, this link's place and every field of its events, as JSON arrays:
 * no two different groups of events have the same text, so that nothing can be moved from one field to the next.
 * @param events as `eventText` gives them
 * @returns 64 hexadecimal digits.
 */
export function linkMac(key: Uint8Array, formerMac: string, link: AuditLink, events: readonly string[]): string {
  const place = JSON.stringify(['link', formerMac, link.link, link.day, link.at, events.length]);
  // One text: each update is a call out of JavaScript.
  return createHmac('sha256', key)
    .update(place + events.join(''))
    .digest('hex');
}

export interface AuditSegment {
  readonly day: string;
  readonly firstLink: number;
  readonly lastLink: number;
  readonly entries: number;
  /** Code of the link before the first: where the chain goes on when earlier days were removed. */
  readonly formerMac: string;
  /** Code of the last link. */
  readonly mac: string;
  /** Epoch milliseconds. */
  readonly closedAt: number;
  /** Epoch milliseconds; null while the day's entries are kept. */
  readonly prunedAt: number | null;
}

/**
 * Seals the summary of a closed day, which stays when retention removes the day's entries. The removal is sealed with
 * it: whoever can only write the database cannot pass a deletion off as retention.
 */
export function segmentSeal(key: Uint8Array, segment: AuditSegment): string {
  const { day, firstLink, lastLink, entries, formerMac, mac, closedAt, prunedAt } = segment;
  return createHmac('sha256', key)
    .update(JSON.stringify(['segment', day, firstLink, lastLink, entries, formerMac, mac, closedAt, prunedAt]))
    .digest('hex');
}

/** Compares two codes in constant time. */
export function sameMac(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The UTC day of an instant, `YYYY-MM-DD`. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export function dayAfter(day: string): string {
  return utcDay(Date.parse(day) + dayMs);
}

/** The first instant after a UTC day. */
export function endOfDay(day: string): number {
  return Date.parse(day) + dayMs;
}

const dayMs = 86_400_000;

/** UTC day of an instant, never before the day the chain has reached: nodes' clocks may differ at midnight. */
export function linkDay(at: number, reachedDay: string): string {
  return laterDay(utcDay(at), reachedDay);
}

export function laterDay(left: string, right: string): string {
  return left > right ? left : right;
}
