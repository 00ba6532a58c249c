import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';

/**
 * Reads all shown answers again, but waits for reads in flight, so that a request for more of a list is not lost. A
 * read in flight may be older than the change, so it is repeated afterwards.
 */
export async function readAgain(client: QueryClient, filters: QueryFilters = {}): Promise<void> {
  const shown = client.getQueryCache().findAll({ ...filters, type: 'active' });
  const early = new Set(shown.filter(isBeingRead));
  await client.invalidateQueries(filters, { cancelRefetch: false });
  // A request for the next part, made meanwhile, has replaced the reading of all parts.
  const owing = new Set(shown.filter((query) => isOnline(query) && (early.has(query) || isOfNextPart(query))));
  if (owing.size > 0) await readAgain(client, { predicate: (query) => owing.has(query) });
}

/** The same for a change made on this page, which is to show at once: it waits only for the next part of a list. */
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
