import type { ChangeEvent } from '@waxwing/contract/management-api/operations/event-operations.ts';
import type { Ground } from '../audit/ground.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import { type NotedChange, readNotedChanges, readRevision } from '../database/change-log.ts';
import { type Db, unlessUnavailable } from '../database/database.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { EventSink } from './event-stream.ts';

/** For each organization with message events: the latest one's number and cursor. */
type LatestEvents = (
  organizationIds: readonly string[],
) => Promise<ReadonlyMap<string, { readonly number: number; readonly cursor: string }>>;

interface ChangeStreamsNeeds extends Pick<Ground, 'clock' | 'wait'> {
  readonly db: Db;
  readonly feed: Pick<ChangeFeed, 'listen'>;
  readonly latestEvents: LatestEvents;
}

/**
 * Tells event streams about changes by any server: only a kind and an id, and clients read the new state themselves.
 * One reading serves all streams, and none happens without a stream.
 *
 * An event's id is `revision.number`: the positions in the log of changes and in the organization's message events. A
 * returning client gets the changes since then, or a hint that everything may have changed.
 */
export interface ChangeStreams {
  /** @param organizationId undefined: the whole instance. @param lastEventId the client's last event */
  subscribe(organizationId: string | undefined, lastEventId: string | undefined, sink: EventSink): void;
  readonly worker: Worker;
}

interface Subscriber {
  readonly organizationId: string | undefined;
  readonly sink: EventSink;
  /** Undefined until the first round. */
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
      // A revision from the future means that the database was restored.
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
          // While the database is away, streams wait.
          if (subscribers.size > 0) await unlessUnavailable(round());
          await wait(roundMs, AbortSignal.any([signal, wake.signal]));
        }
      },
    },
  };
}

/** Changes of no organization concern operators alone, who hear the whole instance. */
function concerns(change: NotedChange, { organizationId }: Subscriber): boolean {
  // Its name is a hash for servers. The change of its holder is told as well.
  if (change.kind === 'token') return false;
  return organizationId === undefined || change.organizationId === organizationId;
}

function send(subscriber: Subscriber, data: ChangeEvent, revision = subscriber.revision): void {
  subscriber.sink.send({ id: `${revision ?? 0}.${subscriber.number ?? 0}`, name: 'change', data });
}
