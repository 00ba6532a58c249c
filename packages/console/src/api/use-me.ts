import { useSuspenseQuery } from '@tanstack/react-query';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import { useApi } from './api-context.tsx';
import { type Me, mayDo, meQuery } from './me.ts';

/** The person who is signed in. Only for use below the frame, which has read it. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery(useApi())).data;
}

export function useMay(organizationId?: string): (operation: Pick<Operation, 'action'>) => boolean {
  const me = useMe();
  return (operation) => mayDo(me, operation, organizationId);
}
