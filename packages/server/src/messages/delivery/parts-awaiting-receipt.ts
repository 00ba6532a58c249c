import type { Db } from '../../database/database.ts';
import { partId } from '../state/part-event.ts';
import { refOf } from './delivery-plan.ts';
import { findOpenMessages, type OpenMessageKey } from './part-queue-store.ts';

/** A part that a carrier took and that waits for its final receipt. */
export interface AwaitingPart {
  readonly id: string;
  /** E.164 with `+`. */
  readonly destination: string;
  /** Epoch milliseconds, as far as known. */
  readonly sentAt: number;
}

const messagesPerPage = 1_000;

/** All parts that wait for a receipt of this carrier, page by page; for a carrier that forgets when it restarts. */
export async function* readPartsAwaitingReceipt(
  db: Db,
  carrierId: string,
): AsyncGenerator<readonly AwaitingPart[], void, undefined> {
  let after: OpenMessageKey | undefined;
  do {
    const rows = await findOpenMessages(db, carrierId, after, messagesPerPage);
    yield rows.flatMap((row) =>
      [...row.parts].flatMap((state, part) =>
        state === 's'
          ? [
              {
                id: partId({ ...refOf(row), part }),
                destination: row.number,
                sentAt: row.sent_at ?? row.accepted_at,
              },
            ]
          : [],
      ),
    );
    after = rows.length < messagesPerPage ? undefined : rows.at(-1);
  } while (after !== undefined);
}
