import type { ListeningChannel } from '../channels/alert-channel-store.ts';

/** @param eventAt of an event: a channel made later does not hear of it */
export type FindListeners<Channel> = (organizationId: string, eventAt?: number) => readonly Channel[];

/**
 * The channels that hear of an alert: those of the organization, or those of the instance where it has none, so that nothing
 * goes unheard. Pure.
 * @param channels the enabled ones
 */
export function listenersAmong<Channel extends Pick<ListeningChannel, 'organization_id' | 'created_at'>>(
  channels: readonly Channel[],
): FindListeners<Channel> {
  const byOwner = Map.groupBy(channels, ({ organization_id }) => organization_id);
  return (organizationId, eventAt) => {
    const listening = byOwner.get(organizationId) ?? byOwner.get('') ?? [];
    return eventAt === undefined ? listening : listening.filter(({ created_at }) => created_at <= eventAt);
  };
}
