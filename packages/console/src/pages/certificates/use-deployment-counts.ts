import { useQueries } from '@tanstack/react-query';
import { countDeployments } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { useApi } from '../../api/api-context.tsx';
import { queryKey } from '../../api/query-key.ts';
import type { Certificate } from '../../api/shown-things.ts';

/** One page of the table, so that the next page asks only for its own. */
const idsOfOneQuestion = 50;

/** The number of deployments of each certificate. @returns undefined while it is not known */
export function useDeploymentCounts(
  organizationId: string,
  items: readonly Certificate[],
): (certificateId: string) => number | undefined {
  const { call } = useApi();
  const ids = items.map(({ id }) => id);
  const groups = Array.from({ length: Math.ceil(ids.length / idsOfOneQuestion) }, (_none, index) =>
    ids.slice(index * idsOfOneQuestion, (index + 1) * idsOfOneQuestion),
  );
  const answers = useQueries({
    queries: groups.map((group) => {
      const input = { params: { organization_id: organizationId }, query: { certificate_ids: group.join(',') } };
      return {
        queryKey: queryKey(countDeployments, input, 'one'),
        queryFn: ({ signal }: { signal: AbortSignal }) => call(countDeployments, input, signal),
      };
    }),
  });
  const known = new Map(
    answers.flatMap(({ data }, index) => {
      const counts = new Map(data?.counts.map(({ certificate_id, deployments }) => [certificate_id, deployments]));
      return data === undefined ? [] : (groups[index] ?? []).map((id) => [id, counts.get(id) ?? 0] as const);
    }),
  );
  return (certificateId) => known.get(certificateId);
}
