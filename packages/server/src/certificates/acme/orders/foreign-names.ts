import type { Db } from '../../../database/database.ts';
import { findForeignName } from '../../certificate-name-store.ts';
import { namesOf } from './begin-order.ts';
import { type Met, type OrderRun, refusedFor } from './order-run.ts';

export function foreignNameWords(name: string): string {
  return `Another organization has a certificate for ${name}. Prove the names by dns-01, or let an operator delete that certificate.`;
}

/**
 * Whoever sends the traffic of a name to Waxwing proves it for all organizations, unlike records in DNS. So nobody gets a
 * certificate that way for what another organization was issued one for.
 * @returns the refusal; undefined: there is none
 */
export async function refuseForeignNames(
  db: Db,
  { order, request }: Pick<OrderRun, 'order' | 'request'>,
): Promise<Met | undefined> {
  if (request.challenge === 'dns-01') return undefined;
  const foreign = await findForeignName(db, order.organization_id, namesOf(request));
  return foreign === undefined ? undefined : refusedFor(foreignNameWords(foreign));
}
