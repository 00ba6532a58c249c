import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import type { MessagePartRow, MessageRow } from '../../database/schema/message-tables.ts';

export type DuePartRow = MessagePartRow & { readonly content: string; readonly sender: string | null };

/**
 * The parts that one carrier is due to take, longest waiting first.
 * @param from leaves out parts due before this moment
 */
export async function findDueParts(
  db: Db,
  carrierId: string,
  now: number,
  limit: number,
  from?: number,
): Promise<DuePartRow[]> {
  // Limited before it is joined: however many are due, so many batches are read.
  const due = db
    .selectFrom('message_part')
    .selectAll()
    .where('carrier_id', '=', carrierId)
    .where('due_at', '<=', now)
    .$if(from !== undefined, (query) => query.where('due_at', '>=', from as number))
    .orderBy('due_at')
    .limit(limit)
    .as('due');
  return db
    .selectFrom(due)
    .innerJoin('message_batch', (join) =>
      join
        .onRef('message_batch.organization_id', '=', 'due.organization_id')
        .onRef('message_batch.id', '=', 'due.batch_id'),
    )
    .selectAll('due')
    .select(['message_batch.content', 'message_batch.sender'])
    .orderBy('due.due_at')
    .execute();
}

const changedPerStatement = 1_000;

/** Gives the waiting parts of one carrier to another, in chunks, so that no statement holds the writer for long. */
export async function moveParts(db: Db, fromCarrier: string, toCarrier: string): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      update message_part set carrier_id = ${toCarrier}
      where (organization_id, batch_id, position, part) in
        (select organization_id, batch_id, position, part from message_part
         where carrier_id = ${fromCarrier} limit ${sql.lit(changedPerStatement)})`.execute(db);
    if (numAffectedRows !== BigInt(changedPerStatement)) return;
  }
}

/**
 * Makes parts of one carrier due at `now` that are due later than `latest`, in their order and in chunks.
 * @returns how many parts
 */
export async function pullForward(
  db: Db,
  carrierId: string,
  { latest, now }: { readonly latest: number; readonly now: number },
): Promise<number> {
  for (let chunk = 0, pulled = 0; ; chunk += 1) {
    const { numAffectedRows } = await sql`
      update message_part set due_at = ${now + chunk}
      where (organization_id, batch_id, position, part) in
        (select organization_id, batch_id, position, part from message_part
         where carrier_id = ${carrierId} and due_at > ${latest}
         order by due_at limit ${sql.lit(changedPerStatement)})`.execute(db);
    pulled += Number(numAffectedRows);
    if (numAffectedRows !== BigInt(changedPerStatement)) return pulled;
  }
}

/** Where a page of open messages ended. */
export type OpenMessageKey = Pick<MessageRow, 'ends_at' | 'organization_id' | 'batch_id' | 'position'>;

/**
 * Messages that a carrier has taken and that have no final status yet, in the order of their ends: by the index that
 * holds open messages alone, however many have been settled.
 */
export async function findOpenMessages(
  db: Db,
  carrierId: string,
  after: OpenMessageKey | undefined,
  limit: number,
): Promise<MessageRow[]> {
  let query = db
    .selectFrom('message')
    .selectAll()
    .where('status', 'is', null)
    .where('carrier_id', '=', carrierId)
    .where('parts', 'like', '%s%');
  if (after !== undefined) {
    query = query.where((where) =>
      where(
        where.refTuple('ends_at', 'organization_id', 'batch_id', 'position'),
        '>',
        where.tuple(after.ends_at, after.organization_id, after.batch_id, after.position),
      ),
    );
  }
  return query
    .orderBy('ends_at')
    .orderBy('organization_id')
    .orderBy('batch_id')
    .orderBy('position')
    .limit(limit)
    .execute();
}
