import { useQueryClient } from '@tanstack/react-query';
import type { ChangeEvent } from '@waxwing/contract/management-api/event-operations.ts';
import { streamEvents } from '@waxwing/contract/management-api/event-operations.ts';
import { useEffect } from 'react';
import { requestOf } from './call.ts';
import { staleTags } from './query-key.ts';
import { createStalePace } from './stale-pace.ts';

/** Messages end by the thousand: what is shown of them is read again at most so often. */
const pauseMs = 2_000;

/** Reads again what changes in an organization while it is shown. The browser reconnects by itself. */
export function useLiveChanges(organizationId: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (organizationId === undefined) return undefined;
    const { url } = requestOf(streamEvents, { params: { organization_id: organizationId } });
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
  }, [client, organizationId]);
}
