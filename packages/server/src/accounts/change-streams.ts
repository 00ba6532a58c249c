import type { ChangeEvent } from '@waxwing/contract/management-api/event-operations.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import { type NotedChange, readNotedChanges, readRevision } from '../database/change-log.ts';
import { type Db, isUnavailable } from '../database/connect.ts';
import type { EventSink } from '../http/event-stream.ts';
import { type Clock, toRfc3339 } from '../runtime/clock.ts';
import type { Worker } from '../runtime/supervisor.ts';

/** The latest message event of each of the organizations that has one: its number, and the cursor that names it. */
export type LatestEvents = (
  organizationIds: readonly string[],
) => Promise<ReadonlyMap<string, { readonly number: number; readonly cursor: string }>>;

export interface ChangeStreamsNeeds {
  readonly db: Db;
  readonly feed: Pick<ChangeFeed, 'listen'>;
  readonly clock: Clock;
  readonly latestEvents: LatestEvents;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Tells streams what changes, whichever node changed it. Only hints: a kind and an id, so that a client asks again for what
 * it shows. What is read for it is read once for all streams, and only while there is one.
 *
 * An event's id is `revision.number`: how far the log of changes and the organization's message events had come. A client
 * that comes back with it is told what it missed; when that is no longer known, that everything may have changed.
 */
export interface ChangeStreams {
  /** @param organizationId undefined: the whole instance. @param lastEventId what the client saw last */
  subscribe(organizationId: string | undefined, lastEventId: string | undefined, sink: EventSink): void;
  readonly worker: Worker;
}

interface Subscriber {
  readonly organizationId: string | undefined;
  readonly sink: EventSink;
  /** Undefined until the first round: a stream begins with what is now. */
  revision: number | undefined;
  number: number | undefined;
}

const roundMs = 1_000;
const changesPerRound = 1_000;

export function createChangeStreams({ db, feed, clock, latestEvents, wait }: ChangeStreamsNeeds): ChangeStreams {
  const subscribers = new Set<Subscriber>();
  let wake = new AbortController();
  feed.listen(() => wake.abort());

  async function round(): Promise<void> {
    const [current, present] = [await readRevision(db), [...subscribers]];
    for (const subscriber of present) subscriber.revision ??= current;
    await tellChanges(current, present);
    await tellEvents(present);
  }

  async function tellChanges(current: number, present: readonly Subscriber[]): Promise<void> {
    const behind = present.filter(({ revision }) => revision !== current);
    if (behind.length === 0) return;
    const from = Math.min(...behind.map(({ revision = current }) => revision));
    const changes = (await readNotedChanges(db, from, changesPerRound)).filter(({ revision }) => revision <= current);
    const firstKnown = changes[0]?.revision ?? current + 1;
    const isWhole = changes.at(-1)?.revision === current;
    for (const subscriber of behind) {
      const { revision = current } = subscriber;
      subscriber.revision = current;
      // A revision beyond ours is none that we gave: the database was restored.
      if (revision > current || revision + 1 < firstKnown || !isWhole) tellEverything(subscriber);
      else
        for (const change of changes)
          if (change.revision > revision && concerns(change, subscriber)) tell(subscriber, change);
    }
  }

  async function tellEvents(present: readonly Subscriber[]): Promise<void> {
    const ids = new Set(
      present.flatMap(({ organizationId }) => (organizationId === undefined ? [] : [organizationId])),
    );
    if (ids.size === 0) return;
    const latest = await latestEvents([...ids]);
    for (const subscriber of present) {
      const { organizationId } = subscriber;
      if (organizationId === undefined) continue;
      const { number, cursor } = latest.get(organizationId) ?? { number: 0, cursor: null };
      const seen = subscriber.number ?? number;
      subscriber.number = number;
      if (number > seen)
        send(subscriber, { kind: 'message-event', id: cursor, organization_id: organizationId, at: now() });
    }
  }

  const now = () => toRfc3339(clock.now());

  function tell(subscriber: Subscriber, { revision, kind, subjectId, organizationId, at }: NotedChange): void {
    const event = { kind, id: subjectId, organization_id: organizationId ?? null, at: toRfc3339(at) };
    send(subscriber, event, revision);
  }

  function tellEverything(subscriber: Subscriber): void {
    const { organizationId = null } = subscriber;
    send(subscriber, { kind: 'everything', id: null, organization_id: organizationId, at: now() });
  }

  return {
    subscribe(organizationId, lastEventId, sink) {
      const [, revision, number] = /^(\d{1,15})\.(\d{1,15})$/.exec(lastEventId ?? '') ?? [];
      const subscriber: Subscriber = {
        organizationId,
        sink,
        revision: revision === undefined ? undefined : Number(revision),
        number: number === undefined ? undefined : Number(number),
      };
      if (sink.closed.aborted) return;
      subscribers.add(subscriber);
      sink.closed.addEventListener('abort', () => subscribers.delete(subscriber));
      wake.abort();
    },
    worker: {
      name: 'change-streams',
      async run(signal) {
        while (!signal.aborted) {
          wake = new AbortController();
          try {
            if (subscribers.size > 0) await round();
          } catch (error) {
            // Streams wait as long as the database is away: what changes meanwhile is told then.
            if (!isUnavailable(error)) throw error;
          }
          await wait(roundMs, AbortSignal.any([signal, wake.signal]));
        }
      },
    },
  };
}

/** What is nobody's own is told to operators alone: they hear the whole instance. */
function concerns(change: NotedChange, { organizationId }: Subscriber): boolean {
  // Named by its hash, which is for servers alone; its holder is told of beside it.
  if (change.kind === 'token') return false;
  return organizationId === undefined || change.organizationId === organizationId;
}

function send(subscriber: Subscriber, data: ChangeEvent, revision = subscriber.revision): void {
  subscriber.sink.send({ id: `${revision ?? 0}.${subscriber.number ?? 0}`, name: 'change', data });
}
