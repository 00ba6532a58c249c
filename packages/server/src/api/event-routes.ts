import { streamEvents, streamInstanceEvents } from '@waxwing/contract/management-api/operations/event-operations.ts';
import type { ChangeStreams } from './change-streams.ts';
import { type Binding, bindStream } from './operation-frame.ts';

export function eventRoutes(streams: Pick<ChangeStreams, 'subscribe'>): readonly Binding[] {
  return [
    bindStream(streamEvents, ({ params, lastEventId }, sink) => {
      streams.subscribe(params.organization_id, lastEventId, sink);
    }),
    bindStream(streamInstanceEvents, ({ lastEventId }, sink) => streams.subscribe(undefined, lastEventId, sink)),
  ];
}
