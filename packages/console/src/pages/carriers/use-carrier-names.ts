import { listCarriers } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { usePages } from '../../api/api-context.tsx';
import { useMe } from '../../api/use-me.ts';

/** @returns the name of a carrier by its id; the id where it is not known */
export function useCarrierNames(): (carrierId: string) => string {
  const { modules } = useMe();
  const { items } = usePages(listCarriers, {}, { enabled: modules.includes('messaging') });
  const names = new Map(items?.map(({ id, name }) => [id, name]));
  return (carrierId) => names.get(carrierId) ?? carrierId;
}
