import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf, Operation } from '@waxwing/contract/management-api/operation.ts';
import { createContext, useContext } from 'react';
import type { ApiProblem } from './api-problem.ts';
import type { Api, InputOf, Tagged } from './call.ts';
import { type PageAnswer, pagesQuery, withPage } from './pages-query.ts';
import { queryKey } from './query-key.ts';
import { readAgainAtOnce } from './read-again.ts';
import type { ItemOf } from './shown-things.ts';

const ApiContext = createContext<Api | undefined>(undefined);

export const ApiProvider = ApiContext.Provider;

/** The API, for calls that are neither a query nor a change: downloads, exports. */
export function useApi(): Api {
  const api = useContext(ApiContext);
  if (api === undefined) throw new Error('useApi outside of ApiProvider');
  return api;
}

interface AnswerOptions {
  readonly enabled?: boolean;
  /** Milliseconds. For figures that change without a notice. */
  readonly refetchInterval?: number;
}

interface OneAnswerOptions<Answer> extends Omit<AnswerOptions, 'refetchInterval'> {
  /** Also computed from the answer; `false` stops it. */
  readonly refetchInterval?: number | ((answer: Answer | undefined) => number | false);
  /** Shows the former answer until the new one is there. */
  readonly keepsFormer?: boolean;
  /** Forgets the answer as soon as it is no longer shown. */
  readonly keepsNothing?: boolean;
}

/** The answer of a reading operation, cached until a change makes it stale. */
export function useAnswer<Of extends Operation>(
  operation: Of,
  input: InputOf<Of>,
  { refetchInterval, keepsFormer = false, keepsNothing = false, ...options }: OneAnswerOptions<AnswerOf<Of>> = {},
) {
  const { call } = useApi();
  return useQuery<AnswerOf<Of>, ApiProblem>({
    queryKey: queryKey(operation, input as object, 'one'),
    queryFn: ({ signal }) => call(operation, input, signal),
    refetchInterval: ({ state }) =>
      typeof refetchInterval === 'function' ? refetchInterval(state.data) : (refetchInterval ?? false),
    ...(keepsFormer && { placeholderData: keepPreviousData }),
    ...(keepsNothing && { gcTime: 0 }),
    ...options,
  });
}

/** The same with the ETag that a change of it must name. */
export function useTagged<Of extends Operation>(operation: Of, input: InputOf<Of>, options: AnswerOptions = {}) {
  const { callTagged } = useApi();
  return useQuery<Tagged<AnswerOf<Of>>, ApiProblem>({
    queryKey: queryKey(operation, input as object, 'tagged'),
    queryFn: ({ signal }) => callTagged(operation, input, signal),
    ...options,
  });
}

/** The items of a list, page after page; and all of them, for an export. */
export function usePages<Of extends Operation>(operation: Of, input: InputOf<Of>, options: AnswerOptions = {}) {
  const api = useApi();
  const pages = useInfiniteQuery({
    ...pagesQuery(api, operation, input),
    placeholderData: keepPreviousData,
    ...options,
  });
  return {
    ...pages,
    items: pages.data?.pages.flatMap(({ items }) => items as readonly ItemOf<Of>[]),
    every: (signal: AbortSignal) => everyItem(api, operation, input, signal),
  };
}

const largestPage = 200;

/** Page after page, as large as the server gives them. */
async function* everyItem<Of extends Operation>(
  { call }: Api,
  operation: Of,
  input: InputOf<Of>,
  signal: AbortSignal,
): AsyncGenerator<ItemOf<Of>> {
  let cursor: string | null = null;
  do {
    const page = (await call(operation, withPage(input, cursor, largestPage), signal)) as unknown as PageAnswer;
    yield* page.items as readonly ItemOf<Of>[];
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** A change. Answers with its tag are read again before the promise settles, also after a conflict. */
export function useChange<Of extends Operation>(operation: Of, alsoStale: readonly string[] = []) {
  const { call } = useApi();
  const client = useQueryClient();
  const readAnew = () =>
    Promise.all([operation.tag, ...alsoStale].map((tag) => readAgainAtOnce(client, { queryKey: [tag] })));
  return useMutation<AnswerOf<Of>, ApiProblem, InputOf<Of>>({
    mutationFn: (input) => call(operation, input),
    onSuccess: readAnew,
    onError: ({ code }) => (code === 'precondition_failed' ? readAnew() : undefined),
  });
}
