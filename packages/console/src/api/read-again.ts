import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';

/**
 * Reads again what is shown, once what is being read already is there: whoever has just asked for more of a list gets it.
 * What was being read may have been answered before the change, and is therefore read once more.
 */
export async function readAgain(client: QueryClient, filters: QueryFilters = {}): Promise<void> {
  const shown = client.getQueryCache().findAll({ ...filters, type: 'active' });
  const early = new Set(shown.filter(isBeingRead));
  await client.invalidateQueries(filters, { cancelRefetch: false });
  // A next part asked for meanwhile has taken the place of the reading of all parts.
  const owing = new Set(shown.filter((query) => isOnline(query) && (early.has(query) || isOfNextPart(query))));
  if (owing.size > 0) await readAgain(client, { predicate: (query) => owing.has(query) });
}

/** The same for a change made here, which shows as soon as it can: only the next part of a list is waited for. */
export async function readAgainAtOnce(client: QueryClient, filters: QueryFilters): Promise<void> {
  const isLoadingMore = (query: Query) => isBeingRead(query) && isOfNextPart(query);
  const waiting = new Set(client.getQueryCache().findAll({ ...filters, predicate: isLoadingMore }));
  await Promise.all([
    client.invalidateQueries({ ...filters, predicate: (query) => !waiting.has(query) }),
    waiting.size > 0 && readAgain(client, { predicate: (query) => waiting.has(query) }),
  ]);
}

const isBeingRead = ({ state }: Query) => state.fetchStatus === 'fetching';
const isOnline = ({ state }: Query) => state.fetchStatus !== 'paused';

function isOfNextPart({ state }: Query): boolean {
  return state.fetchMeta?.fetchMore !== undefined;
}
