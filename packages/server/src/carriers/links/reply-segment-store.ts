import type { Db } from '../../database/database.ts';
import type { ReplySegmentRow } from '../../database/schema/carrier-tables.ts';

/** The segments of one reply. */
export type SegmentGroup = Pick<ReplySegmentRow, 'carrier_id' | 'sender' | 'recipient' | 'reference' | 'total'>;

const groupColumns = ['carrier_id', 'sender', 'recipient', 'reference', 'total'] as const;

/** In their order. */
export async function findSegments(db: Db, group: SegmentGroup): Promise<ReplySegmentRow[]> {
  return db
    .selectFrom('reply_segment')
    .selectAll()
    .where((where) => where.and(keyOf(group)))
    .orderBy('sequence')
    .execute();
}

/** A segment that came before is kept as it came last. @param replaces whether all others of its group are dropped */
export async function keepSegment(db: Db, row: ReplySegmentRow, replaces: boolean): Promise<void> {
  if (replaces)
    await db
      .deleteFrom('reply_segment')
      .where((where) => where.and(keyOf(row)))
      .execute();
  const { content, received_at } = row;
  await db
    .insertInto('reply_segment')
    .values(row)
    .onConflict((conflict) => conflict.columns([...groupColumns, 'sequence']).doUpdateSet({ content, received_at }))
    .execute();
}

export async function markDelivered(db: Db, group: SegmentGroup, at: number): Promise<void> {
  await db
    .updateTable('reply_segment')
    .set({ delivered_at: at })
    .where((where) => where.and(keyOf(group)))
    .execute();
}

/** Groups without a new segment since a moment, which were not handed in. */
export async function findLateSegments(db: Db, before: number, limit: number): Promise<SegmentGroup[]> {
  return db
    .selectFrom('reply_segment')
    .select([...groupColumns])
    .where('delivered_at', 'is', null)
    .groupBy([...groupColumns])
    .having((having) => having.fn.max('received_at'), '<=', before)
    .limit(limit)
    .execute();
}

/** Removes those that were handed in before a moment. */
export async function forgetSegments(db: Db, before: number): Promise<void> {
  await db.deleteFrom('reply_segment').where('delivered_at', '<=', before).execute();
}

function keyOf({ carrier_id, sender, recipient, reference, total }: SegmentGroup): SegmentGroup {
  return { carrier_id, sender, recipient, reference, total };
}
