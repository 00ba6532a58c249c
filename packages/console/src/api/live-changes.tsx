import { useQueryClient } from '@tanstack/react-query';
import { streamEvents, streamInstanceEvents } from '@waxwing/contract/management-api/operations/event-operations.ts';
import { useEffect, useRef, useState } from 'react';
import { useApi } from './api-context.tsx';
import { requestOf } from './call.ts';
import { createLiveStream, type LiveStream } from './live-stream.ts';
import { type Me, mayDo, meQuery } from './me.ts';
import { staleTags } from './query-key.ts';
import { readAgain } from './read-again.ts';
import { createStaleTagThrottle } from './stale-tag-throttle.ts';
import { useMe } from './use-me.ts';
import { useRights } from './use-rights.ts';

/** Messages end by the thousand, so the page reads them again at most this often. */
const pauseMs = 2_000;

interface LivePlace {
  readonly organizationId: string | undefined;
  /** A page of the instance is shown. Its stream tells operators about all organizations. */
  readonly isInstance: boolean;
}

/** Reads changed data of the shown pages again. @returns whether the connection is lost */
export function useLiveChanges(place: LivePlace): boolean {
  const client = useQueryClient();
  const api = useApi();
  const me = useMe();
  const stream = useRef<LiveStream>(undefined);
  const url = streamOf(me, place);
  const [isLost, setLost] = useState(false);

  useEffect(() => {
    const throttle = createStaleTagThrottle(pauseMs, (tags) => {
      for (const tag of tags) void readAgain(client, { queryKey: [tag] });
    });
    const opened = createLiveStream({
      open: (at) => new EventSource(at),
      document,
      spread: Math.random,
      onChange(kind) {
        const tags = staleTags(kind);
        if (tags === 'all') void readAgain(client);
        else throttle.add(tags);
      },
      onMissed: () => void readAgain(client),
      onConnection: setLost,
      onRefused: () => void client.invalidateQueries({ queryKey: meQuery(api).queryKey }),
    });
    stream.current = opened;
    return () => {
      opened.end();
      throttle.end();
    };
  }, [client, api]);
  useEffect(() => stream.current?.listenTo(url), [url]);
  useRights();
  return isLost;
}

function streamOf(me: Me, { organizationId, isInstance }: LivePlace): string | undefined {
  if (isInstance && mayDo(me, streamInstanceEvents)) return requestOf(streamInstanceEvents, {}).url;
  if (organizationId === undefined || !mayDo(me, streamEvents, organizationId)) return undefined;
  return requestOf(streamEvents, { params: { organization_id: organizationId } }).url;
}
