import type { ItemPages } from './item-table.tsx';

interface Answered {
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

/** A list that came as a whole within another answer, as a table takes it. */
export function wholeList<Item>(
  items: readonly Item[] | undefined,
  { error, isPending, refetch }: Answered,
): ItemPages<Item> {
  return {
    ...{ items, error, isPending, refetch, isPlaceholderData: false },
    ...{ hasNextPage: false, isFetchingNextPage: false, fetchNextPage: () => undefined },
  };
}
