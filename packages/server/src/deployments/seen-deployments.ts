import type { DeploymentActivityRow } from '../database/certificate-tables.ts';
import { larger, nowhere, placedTexts } from './packed-cache.ts';

/** One successful answer. */
export interface Seen {
  readonly organizationId: string;
  readonly deploymentId: string;
  readonly versionId: string;
  readonly address: string;
  readonly userAgent: string;
}

/** Last-seen figures of deployments that wait to be written, added up. */
export interface SeenDeployments {
  /** @param seenAt epoch milliseconds */
  add(seen: Seen, seenAt: number, notModified: boolean): void;
  /** Those that have figures now, each once; what has had none since the last time is forgotten. */
  waiting(): Iterable<string>;
  /** The figures of those that have any, which then have none: to be written, or put back. */
  take(deploymentIds: readonly string[]): DeploymentActivityRow[];
  /** What could not be written; what came meanwhile is newer. */
  putBack(rows: readonly DeploymentActivityRow[]): void;
  /** How many there are figures of. */
  readonly size: number;
}

/** Of each deployment: when it was seen last, its successes, and those of them that were 304. */
const numbersOfEach = 3;
/** Its organization, and the address, user agent and version last seen. */
const textsOfEach = 4;
const placesAtFirst = 256;

/**
 * A deployment keeps its place while it goes on being seen: in a fleet that comes all the time nothing is made anew.
 * In columns, not in one object for each: with 100,000 deployments those were 25 MB on the heap, and made anew for each
 * writing they were most of what the collector had to copy and mark.
 */
export function createSeenDeployments(): SeenDeployments {
  const keys = placedTexts();
  const free: number[] = [];
  const texts: string[] = [];
  let numbers = new Float64Array(0);
  /** Places that were ever taken stand before this one. */
  let end = 0;
  let size = 0;

  const at = (index: number) => numbers[index] as number;

  function placeOf(deploymentId: string): number {
    const known = keys.find(deploymentId);
    if (known !== nowhere) return known;
    const place = free.pop() ?? end;
    end = Math.max(end, place + 1);
    if (numbersOfEach * end > numbers.length) {
      const places = Math.max(placesAtFirst, 2 * place);
      numbers = larger(numbers, new Float64Array(numbersOfEach * places));
      keys.grow(places);
    }
    keys.add(deploymentId, place);
    return place;
  }

  function forget(place: number): void {
    keys.removeAt(place);
    texts.fill('', textsOfEach * place, textsOfEach * (place + 1));
    free.push(place);
  }

  function count(seen: Seen, seenAt: number, successes: number, notModified: number): void {
    const place = placeOf(seen.deploymentId);
    const number = numbersOfEach * place;
    if (at(number + 1) === 0) size += 1;
    numbers[number + 1] = at(number + 1) + successes;
    numbers[number + 2] = at(number + 2) + notModified;
    // Nothing is newer than a place that was emptied.
    if (seenAt < at(number)) return;
    numbers[number] = seenAt;
    const text = textsOfEach * place;
    // A text that is the same stays the one that is held: each request brings its own.
    if (texts[text] !== seen.organizationId) texts[text] = seen.organizationId;
    if (texts[text + 1] !== seen.address) texts[text + 1] = seen.address;
    if (texts[text + 2] !== seen.userAgent) texts[text + 2] = seen.userAgent;
    if (texts[text + 3] !== seen.versionId) texts[text + 3] = seen.versionId;
  }

  function takeOne(deploymentId: string): DeploymentActivityRow | undefined {
    const place = keys.find(deploymentId);
    if (place === nowhere) return undefined;
    const number = numbersOfEach * place;
    const [lastSeenAt, successes, notModified] = [at(number), at(number + 1), at(number + 2)];
    if (successes === 0) return undefined;
    numbers.fill(0, number, number + numbersOfEach);
    size -= 1;
    const text = textsOfEach * place;
    return {
      organization_id: texts[text] ?? '',
      deployment_id: deploymentId,
      last_seen_at: lastSeenAt,
      last_address: texts[text + 1] ?? '',
      last_user_agent: texts[text + 2] ?? '',
      last_version: texts[text + 3] ?? '',
      successes,
      not_modified: notModified,
    };
  }

  return {
    add: (seen, seenAt, notModified) => count(seen, seenAt, 1, notModified ? 1 : 0),
    *waiting() {
      // Those that come while we are under way stand behind the last one of now, or where one was forgotten.
      const last = end;
      for (let place = 0; place < last; place += 1) {
        const deploymentId = keys.at(place);
        if (deploymentId === undefined) continue;
        if (at(numbersOfEach * place + 1) === 0) forget(place);
        else yield deploymentId;
      }
    },
    take: (deploymentIds) => deploymentIds.map(takeOne).filter((row) => row !== undefined),
    putBack(rows) {
      for (const row of rows) {
        const seen: Seen = {
          organizationId: row.organization_id,
          deploymentId: row.deployment_id,
          versionId: row.last_version,
          address: row.last_address,
          userAgent: row.last_user_agent,
        };
        count(seen, row.last_seen_at, row.successes, row.not_modified);
      }
    },
    get size() {
      return size;
    },
  };
}
