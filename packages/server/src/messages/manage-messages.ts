import type { BatchReportSuccess, MessageReport } from '@waxwing/contract/messaging-api.ts';
import { requireOrganization } from '../accounts/organization.ts';
import type { Database } from '../database/connect.ts';
import type { MessageRow, ReplyRow } from '../database/tables.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { type ReadPushStates, reportBatch, toReport } from './batch-report.ts';
import { checkNumber } from './checked-number.ts';
import { listMessages, type MessageFilter } from './message-store.ts';
import { findReplies, type ReplyFilter } from './reply-store.ts';

/** A message as the operator sees it in lists. */
export interface ListedMessage extends MessageReport {
  readonly batch_id: string;
  readonly position: number;
  /** E.164 with `+`. */
  readonly number: string;
  /** Null while no carrier has taken it. */
  readonly carrier: string | null;
}

export interface ListedReply {
  readonly id: string;
  readonly mobile: string;
  readonly to: string;
  readonly message: string;
  readonly carrier: string;
  /** By what its organization was found; `nothing`: it is nobody's. */
  readonly owned_by: ReplyRow['owned_by'];
  readonly stop: boolean;
  readonly simulated: boolean;
  readonly received_at: string;
}

/** What was sent and received, for consoles and the command line. */
export interface Messages {
  /** Newest first. */
  list(filter: MessageFilter): Promise<ListedMessage[]>;
  /** One batch with all of its messages. @throws Problem `not_found` */
  show(organizationId: string, batchId: string): Promise<BatchReportSuccess['data']>;
  /** Newest first. */
  replies(filter: ReplyFilter): Promise<ListedReply[]>;
}

interface Needs {
  readonly database: Database;
  readonly readPushStates: ReadPushStates;
}

export function createMessages({ database, readPushStates }: Needs): Messages {
  const { db } = database;
  return {
    async list(filter) {
      await requireOrganization(db, filter.organizationId);
      const number =
        filter.number === undefined ? undefined : await checkNumber(db, filter.organizationId, filter.number);
      const rows = await listMessages(db, { ...filter, number });
      const pushIds = rows.flatMap(({ push_id }) => (push_id === null ? [] : [push_id]));
      const pushes = await readPushStates(filter.organizationId, pushIds);
      return rows.map((row) => ({ ...keyOf(row), ...toReport(row, pushes) }));
    },

    async show(organizationId, batchId) {
      await requireOrganization(db, organizationId);
      return reportBatch(db, readPushStates, organizationId, batchId);
    },

    async replies(filter) {
      if (filter.organizationId !== '') await requireOrganization(db, filter.organizationId);
      return (await findReplies(db, filter)).map(toListedReply);
    },
  };
}

function keyOf(row: MessageRow): Pick<ListedMessage, 'batch_id' | 'position' | 'number' | 'carrier'> {
  return { batch_id: row.batch_id, position: row.position, number: row.number, carrier: row.carrier_id };
}

function toListedReply(row: ReplyRow): ListedReply {
  return {
    id: row.id,
    mobile: row.sender,
    to: row.recipient,
    message: row.content,
    carrier: row.carrier_id,
    owned_by: row.owned_by,
    stop: row.stop === 1,
    simulated: row.simulated === 1,
    received_at: toRfc3339(row.received_at),
  };
}
