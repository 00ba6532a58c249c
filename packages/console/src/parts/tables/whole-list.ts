import type { ItemPages } from './item-table.tsx';

interface Answered {
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

/** Makes pages for a table of a list that came whole within another answer. */
export function wholeList<Item>(
  items: readonly Item[] | undefined,
  { error, isPending, refetch }: Answered,
): ItemPages<Item> {
  return {
    ...{ items, error, isPending, refetch, isPlaceholderData: false },
    ...{ hasNextPage: false, isFetchingNextPage: false, fetchNextPage: () => undefined },
  };
}
