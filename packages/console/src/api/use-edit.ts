import { useQuery } from '@tanstack/react-query';
import type { AnswerOf, Operation } from '@waxwing/contract/management-api/operation.ts';
import { useApi, useChange } from './api-context.tsx';
import type { ApiProblem } from './api-problem.ts';
import type { InputOf, Tagged } from './call.ts';

/** Something that is being edited, as it was when it was read for that. */
export interface Edit<Read extends Operation, Change extends Operation> {
  readonly opened: Tagged<AnswerOf<Read>> | undefined;
  /** While nothing has been read, and why: null while it is being read. */
  readonly reading: { readonly error: unknown } | undefined;
  readonly saving: { readonly error: unknown; readonly isPending: boolean };
  save(change: Omit<InputOf<Change>, 'params' | 'ifMatch'>, onSaved: () => void): void;
}

/**
 * Reads anew what is to be edited, whatever is known of it, and keeps that until it is saved, whatever is read behind it.
 * When somebody else was faster, it is read again: what they made of it is what is edited then.
 */
export function useEdit<Read extends Operation, Change extends Operation>(
  read: Read,
  change: Change,
  input: Pick<InputOf<Read>, 'params' & keyof InputOf<Read>>,
): Edit<Read, Change> {
  const { callTagged } = useApi();
  const updating = useChange(change);
  const query = useQuery<Tagged<AnswerOf<Read>>, ApiProblem>({
    // Not under its tag, and never stale: neither a notice nor a change of something else replaces it.
    queryKey: ['edited', read.id, input],
    queryFn: ({ signal }) => callTagged(read, input as InputOf<Read>, signal),
    staleTime: 'static',
    gcTime: 0,
  });
  const { data: opened } = query;
  return {
    opened,
    reading: opened === undefined ? { error: query.isFetching ? null : query.error } : undefined,
    saving: {
      // What the problem says of what is shown is true when that is shown.
      error: query.isFetching ? null : (query.error ?? updating.error),
      isPending: updating.isPending || query.isFetching,
    },
    save: (values, onSaved) =>
      updating.mutate({ ...input, ...values, ifMatch: opened?.etag ?? '' } as unknown as InputOf<Change>, {
        onSuccess: onSaved,
        onError: ({ code }) => {
          if (code === 'precondition_failed') void query.refetch();
        },
      }),
  };
}
