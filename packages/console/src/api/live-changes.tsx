import { useQueryClient } from '@tanstack/react-query';
import type { ChangeEvent } from '@waxwing/contract/management-api/event-operations.ts';
import { streamEvents, streamInstanceEvents } from '@waxwing/contract/management-api/event-operations.ts';
import { useEffect } from 'react';
import { requestOf } from './call.ts';
import { staleTags } from './query-key.ts';
import { createStalePace } from './stale-pace.ts';

/** Messages end by the thousand: what is shown of them is read again at most so often. */
const pauseMs = 2_000;

/** Reads again what changes in an organization while it is shown. */
export function useLiveChanges(organizationId: string | undefined): void {
  useStream(organizationId && requestOf(streamEvents, { params: { organization_id: organizationId } }).url);
}

/** Reads again what changes in the instance while its pages are shown. */
export function useInstanceChanges(): void {
  useStream(requestOf(streamInstanceEvents, {}).url);
}

/** The browser reconnects by itself. */
function useStream(url: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (url === undefined) return undefined;
    const source = new EventSource(url);
    const pace = createStalePace(pauseMs, (tags) => {
      for (const tag of tags) void client.invalidateQueries({ queryKey: [tag] });
    });
    source.addEventListener('change', (event: MessageEvent<string>) => {
      const { kind } = JSON.parse(event.data) as ChangeEvent;
      const tags = staleTags(kind);
      if (tags === 'all') void client.invalidateQueries();
      else pace.ask(tags);
    });
    return () => {
      source.close();
      pace.end();
    };
  }, [client, url]);
}
