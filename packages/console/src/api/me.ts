import { queryOptions } from '@tanstack/react-query';
import { actions, type Least, roleSuffices } from '@waxwing/contract/management-api/action-roles.ts';
import type { AnswerOf, Operation } from '@waxwing/contract/management-api/operation.ts';
import { showMe } from '@waxwing/contract/management-api/operations/account-operations.ts';
import type { Api } from './call.ts';
import { queryKey } from './query-key.ts';

/** The person who is signed in. */
export type Me = AnswerOf<typeof showMe>;

export function meQuery(api: Api) {
  return queryOptions({
    queryKey: queryKey(showMe, {}, 'one'),
    queryFn: ({ signal }) => api.call(showMe, {}, signal),
    staleTime: 60_000,
  });
}

/** Whether the person may open the organization. Operators may open any. */
export function belongsTo({ operator, organizations }: Me, organizationId: string | undefined): boolean {
  return operator || organizations.some(({ id }) => id === organizationId);
}

/** Whether the server would permit the operation. The console offers nothing else. */
export function mayDo(me: Me, { action }: Pick<Operation, 'action'>, organizationId?: string): boolean {
  const least: Least | undefined = (actions as Readonly<Record<string, Least>>)[action];
  const role = me.operator ? 'operator' : me.organizations.find(({ id }) => id === organizationId)?.role;
  if (least === undefined) return false;
  if (role === undefined) return least === 'person' || least === 'anyone' || least === 'public';
  return roleSuffices(role, least);
}
