import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import type { ApiProblem } from './api-problem.ts';
import type { Api, InputOf } from './call.ts';
import { queryKey } from './query-key.ts';

export interface PageAnswer {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

/** Items of one page of a table. */
const pageLimit = 50;

/** The items of a list, page after page. */
export function pagesQuery<Of extends Operation>({ call }: Api, operation: Of, input: InputOf<Of>) {
  return infiniteQueryOptions<PageAnswer, ApiProblem, { pages: PageAnswer[] }, readonly unknown[], string | null>({
    queryKey: queryKey(operation, input as object, 'pages'),
    initialPageParam: null,
    queryFn: async ({ pageParam, signal }) =>
      (await call(operation, withPage(input, pageParam, pageLimit), signal)) as unknown as PageAnswer,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Reads the first page of a list while its view is still loading. The view reports errors. */
export function askForPages<Of extends Operation>(
  { api, queryClient }: { readonly api: Api; readonly queryClient: QueryClient },
  operation: Of,
  input: InputOf<Of>,
): void {
  void queryClient.prefetchInfiniteQuery(pagesQuery(api, operation, input));
}

export function withPage<Of extends Operation>(input: InputOf<Of>, cursor: string | null, limit: number): InputOf<Of> {
  const { query = {}, ...rest } = input as { query?: object };
  return { ...rest, query: { ...query, limit, ...(cursor !== null && { cursor }) } } as InputOf<Of>;
}
