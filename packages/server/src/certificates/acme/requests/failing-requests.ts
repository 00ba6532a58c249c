import { sql } from 'kysely';
import type { Database } from '../../../database/database.ts';

/** A certificate whose latest orders failed. */
export interface FailingRequest {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
  /** When its current version ends, epoch milliseconds; null: none was ever issued. */
  readonly notAfter: number | null;
  /** Orders in a row that failed. */
  readonly attempts: number;
  /** How many authorities are asked in turn. */
  readonly authorities: number;
  readonly words: string;
}

/** The requests of all organizations whose latest order failed, without those of revoked certificates. */
export async function listFailingRequests(
  database: Pick<Database, 'db' | 'readAside'>,
): Promise<readonly FailingRequest[]> {
  const query = sql<Omit<FailingRequest, 'authorities'> & { authorities: string }>`
    select c.organization_id as "organizationId", c.id, c.name, v.not_after as "notAfter", r.attempts, r.authorities,
      coalesce(r.last_error, '') as words
    from certificate_request r
    join certificate c on c.organization_id = r.organization_id and c.id = r.certificate_id
    left join certificate_version v
      on v.organization_id = c.organization_id and v.certificate_id = c.id and v.id = c.current_version
    where r.attempts > 0 and c.state <> 'revoked'`;
  const { rows } = await database.readAside(query.compile(database.db));
  return rows.map((row) => ({ ...row, authorities: (JSON.parse(row.authorities) as unknown[]).length }));
}
