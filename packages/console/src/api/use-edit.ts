import { useQuery } from '@tanstack/react-query';
import type { AnswerOf, Operation } from '@waxwing/contract/management-api/operation.ts';
import { useApi, useChange } from './api-context.tsx';
import type { ApiProblem } from './api-problem.ts';
import type { InputOf, Tagged } from './call.ts';

/** Something that is being edited, as it was when editing began. */
interface Edit<Read extends Operation, Change extends Operation> {
  readonly opened: Tagged<AnswerOf<Read>> | undefined;
  /** For the `FormModal` that edits it. */
  readonly form: {
    readonly revision: string | undefined;
    /** Set until the read has succeeded. Its error says why; null while it is being read. */
    readonly reading: { readonly error: unknown } | undefined;
    readonly saving: { readonly error: unknown; readonly isPending: boolean };
  };
  save(change: Omit<InputOf<Change>, 'params' | 'ifMatch'>, onSaved: () => void): void;
}

/**
 * Reads the latest state for editing, and keeps it until it is saved. When another person has changed it meanwhile,
 * their state is read, and editing starts again from that.
 */
export function useEdit<Read extends Operation, Change extends Operation>(
  read: Read,
  change: Change,
  input: Pick<InputOf<Read>, 'params' & keyof InputOf<Read>>,
): Edit<Read, Change> {
  const { callTagged } = useApi();
  const updating = useChange(change);
  const query = useQuery<Tagged<AnswerOf<Read>>, ApiProblem>({
    // Not under its tag, and never stale: no notice and no other change may replace it.
    queryKey: ['edited', read.id, input],
    queryFn: ({ signal }) => callTagged(read, input as InputOf<Read>, signal),
    staleTime: 'static',
    gcTime: 0,
  });
  const { data: opened } = query;
  return {
    opened,
    form: {
      revision: opened?.etag,
      reading: opened === undefined ? { error: query.isFetching ? null : query.error } : undefined,
      saving: {
        // A conflict is reported once the new state is shown.
        error: query.isFetching ? null : (query.error ?? updating.error),
        isPending: updating.isPending || query.isFetching,
      },
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
