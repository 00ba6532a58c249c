import { sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import type { MessagePartRow, MessageRow } from '../../database/schema/message-tables.ts';
import { partId } from '../state/part-event.ts';

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

/** A part with so many submits that were never answered is not submitted again, by any carrier. */
export const mostUnanswered = 3;

const changedPerStatement = 1_000;

/** A waiting part, as far as it matters to who takes it. */
export type WaitingPart = Pick<
  MessagePartRow,
  'organization_id' | 'batch_id' | 'position' | 'part' | 'number' | 'due_at' | 'refused_by'
> & { readonly sender: string | null };

/** A carrier that takes over a part, and why. */
export interface NextCarrier {
  readonly id: string;
  readonly simulated: boolean;
  readonly reason?: string | undefined;
}

/**
 * Gives the waiting parts of one carrier to others, in chunks, so that no statement holds the writer for long. Parts for
 * which `choose` names no other carrier stay.
 * @returns how many parts were moved
 */
export async function moveParts(
  database: Database,
  fromCarrier: string,
  choose: (part: WaitingPart) => NextCarrier | undefined,
): Promise<number> {
  let moved = 0;
  let from = 0;
  /** Parts that are due at `from` and were looked at. */
  let known = new Set<string>();
  for (;;) {
    const limit = changedPerStatement + known.size;
    const rows = await findWaitingParts(database.db, fromCarrier, from, limit);
    const moves = rows.flatMap((part) => {
      const next = known.has(keyOf(part)) ? undefined : choose(part);
      return next === undefined || next.id === fromCarrier ? [] : [{ part, next }];
    });
    if (moves.length > 0) await writeMoves(database, fromCarrier, moves);
    moved += moves.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return moved;
    from = last.due_at;
    known = new Set(rows.filter(({ due_at }) => due_at === from).map(keyOf));
  }
}

const keyOf = ({ organization_id, batch_id, position, part }: WaitingPart): string =>
  partId({ organizationId: organization_id, batchId: batch_id, position, part });

/** Longest waiting first: as many as `limit`, due from a moment on. */
function findWaitingParts(db: Db, carrierId: string, from: number, limit: number): Promise<WaitingPart[]> {
  // Limited before it is joined: however many wait, so many batches are read.
  const waiting = db
    .selectFrom('message_part')
    .select(['organization_id', 'batch_id', 'position', 'part', 'number', 'due_at', 'refused_by'])
    .where('carrier_id', '=', carrierId)
    .where('due_at', '>=', from)
    .where('unanswered', '<', mostUnanswered)
    .orderBy('due_at')
    .limit(limit)
    .as('waiting');
  return db
    .selectFrom(waiting)
    .innerJoin('message_batch', (join) =>
      join
        .onRef('message_batch.organization_id', '=', 'waiting.organization_id')
        .onRef('message_batch.id', '=', 'waiting.batch_id'),
    )
    .selectAll('waiting')
    .select('message_batch.sender')
    .orderBy('waiting.due_at')
    .execute();
}

async function writeMoves(
  database: Database,
  fromCarrier: string,
  moves: readonly { readonly part: WaitingPart; readonly next: NextCarrier }[],
): Promise<void> {
  const given = database.rowSource(
    'given',
    {
      ...{ organization_id: 'text', batch_id: 'text', position: 'bigint', part: 'bigint' },
      ...{ carrier_id: 'text', carrier_reason: 'text', simulated: 'bigint' },
    },
    moves.map(({ part, next }) => [
      ...[part.organization_id, part.batch_id, part.position, part.part],
      ...[next.id, next.reason ?? null, next.simulated ? 1 : 0],
    ]),
  );
  await database.transaction(async (trx) => {
    for (const query of database.lookUp.firstByKeys) await query.execute(trx);
    await sql`
      update message_part set carrier_id = given.carrier_id from ${given}
      where message_part.organization_id = given.organization_id and message_part.batch_id = given.batch_id
        and message_part.position = given.position and message_part.part = given.part
        and message_part.carrier_id = ${fromCarrier}`.execute(trx);
    await sql`
      update message set carrier_reason = given.carrier_reason,
        simulated = case when message.carrier_id is null then given.simulated else message.simulated end
      from ${given}
      where message.organization_id = given.organization_id and message.batch_id = given.batch_id
        and message.position = given.position`.execute(trx);
  });
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
