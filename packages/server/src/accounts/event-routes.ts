import { streamEvents, streamInstanceEvents } from '@waxwing/contract/management-api/event-operations.ts';
import type { ChangeStreams } from './change-streams.ts';
import { type Binding, bindStream } from './guard.ts';

/** The event streams (contract: event-operations). */
export function eventRoutes(streams: Pick<ChangeStreams, 'subscribe'>): readonly Binding[] {
  return [
    bindStream(streamEvents, ({ params, lastEventId }, sink) => {
      streams.subscribe(params.organization_id, lastEventId, sink);
    }),
    bindStream(streamInstanceEvents, ({ lastEventId }, sink) => streams.subscribe(undefined, lastEventId, sink)),
  ];
}
