import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../database/database.ts';
import type { CertificateRequestRow } from '../../../database/schema/acme-tables.ts';

export interface RenewalPart {
  /** Undefined: of all organizations. */
  readonly organizationId: string | undefined;
  readonly take: number;
  /** The last one of the page before. */
  readonly after: { readonly at: number; readonly certificateId: string } | undefined;
}

/** In epoch milliseconds: from `since`, before `until`. */
export interface RenewalSpan {
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** Requests whose next order is planned, soonest first. */
export async function listPlanned(
  db: Db,
  { organizationId, take, after }: RenewalPart,
  { since, until }: RenewalSpan,
): Promise<CertificateRequestRow[]> {
  let query = db.selectFrom('certificate_request').selectAll().where(isPlanned);
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  // Both conditions, so that an index begins at the place.
  const from = Math.max(since ?? 0, after?.at ?? 0);
  query = query.where('next_at', '>=', from);
  if (until !== undefined) query = query.where('next_at', '<', until);
  if (after !== undefined) {
    query = query.where(({ eb, or }) =>
      or([eb('next_at', '>', after.at), eb('certificate_id', '>', after.certificateId)]),
    );
  }
  return query.orderBy('next_at').orderBy('certificate_id').limit(take).execute();
}

/** Requests whose latest order failed, latest failure first. */
export async function listFailing(
  db: Db,
  { organizationId, take, after }: RenewalPart,
): Promise<CertificateRequestRow[]> {
  let query = db.selectFrom('certificate_request').selectAll().where(isFailing).where(isWanted);
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  if (after !== undefined) {
    query = query
      .where('last_error_at', '<=', after.at)
      .where(({ eb, or }) => or([eb('last_error_at', '<', after.at), eb('certificate_id', '<', after.certificateId)]));
  }
  return query.orderBy('last_error_at', 'desc').orderBy('certificate_id', 'desc').limit(take).execute();
}

export async function countFailing(db: Db, organizationId: string | undefined): Promise<number> {
  let query = db
    .selectFrom('certificate_request')
    .select((select) => select.fn.countAll<number | string>().as('count'))
    .where(isFailing)
    .where(isWanted);
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  return Number((await query.executeTakeFirstOrThrow()).count);
}

const dayMs = 86_400_000;

/** How many are planned on each day before `until`. @param offsetMs how far days begin before those of UTC */
export async function countPlanned(
  db: Db,
  organizationId: string | undefined,
  { until, offsetMs }: { readonly until: number; readonly offsetMs: number },
): Promise<readonly { readonly day: number; readonly count: number }[]> {
  // Whole numbers divide to a whole number on both databases.
  const day: RawBuilder<number | string> = sql`(next_at + cast(${sql.lit(offsetMs)} as bigint)) / ${sql.lit(dayMs)}`;
  let query = db
    .selectFrom('certificate_request')
    .select((select) => [day.as('day'), select.fn.countAll<number | string>().as('count')])
    .where(isPlanned)
    .where('next_at', '<', until);
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  const rows = await query.groupBy(day).execute();
  return rows.map((row) => ({ day: Number(row.day), count: Number(row.count) }));
}

// As the partial indexes have it: values that are filled in would not be recognised.
const isPlanned = sql<boolean>`attempts = 0 and next_at is not null`;
const isFailing = sql<boolean>`attempts > 0`;

/** Nothing follows after a revocation. Not by "exists": PostgreSQL would join, and read all certificates for it. */
const isWanted = sql<boolean>`(
  select c.state from certificate c
  where c.organization_id = certificate_request.organization_id and c.id = certificate_request.certificate_id
) <> 'revoked'`;
