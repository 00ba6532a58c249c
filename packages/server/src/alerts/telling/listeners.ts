import type { ListeningChannel } from '../channels/alert-channel-store.ts';

/**
 * Who hears of something: the channels of the organization, or those of the instance where it has none, so that nothing
 * goes unheard. Pure.
 * @param channels the enabled ones
 * @param eventAt of an event: a channel made later does not hear of it
 */
export function listenersOf<Channel extends Pick<ListeningChannel, 'organization_id' | 'created_at'>>(
  channels: readonly Channel[],
  organizationId: string,
  eventAt?: number,
): readonly Channel[] {
  const own = channels.filter(({ organization_id }) => organization_id === organizationId);
  const listening = own.length > 0 ? own : channels.filter(({ organization_id }) => organization_id === '');
  return eventAt === undefined ? listening : listening.filter(({ created_at }) => created_at <= eventAt);
}
