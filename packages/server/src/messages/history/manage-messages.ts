import type { AnswerOf, Shown } from '@waxwing/contract/management-api/operation.ts';
import type { listReplies, Message } from '@waxwing/contract/management-api/operations/message-operations.ts';
import type { PushState } from '@waxwing/contract/messaging-api.ts';
import type { Database } from '../../database/database.ts';
import type { MessageRow, ReplyRow } from '../../database/schema/message-tables.ts';
import { type Found, searchBounded } from '../../database/sql/bounded-search.ts';
import { requireOrganization } from '../../organizations/organization.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import { checkNumber } from '../senders/checked-number.ts';
import { listMessages, type MessageFilter } from '../state/message-store.ts';
import { findReplies, type ReplyFilter } from '../state/reply-store.ts';
import { type ReadPushStates, toReport } from './batch-report.ts';
import { type CarrierNames, carrierName, type ReadCarrierNames } from './carrier-name.ts';

/** A message as the operator sees it in lists. */
export type ListedMessage = Shown<Message>;

export type ListedReply = AnswerOf<typeof listReplies>['items'][number];

/** Which replies are looked for. */
export interface ReplySearch extends ReplyFilter {
  /** From this phone, E.164 with `+` or national. */
  readonly number?: string | undefined;
  /** Only those that ended all messages to the phone, or only others. */
  readonly stop?: boolean | undefined;
}

/** What was sent and received, for consoles and the command line. */
export interface Messages {
  /** Newest first, of what can be looked through at once: see `searchBounded`. */
  find(filter: MessageFilter): Promise<Found<ListedMessage>>;
  /** Newest first. */
  replies(filter: ReplyFilter): Promise<ListedReply[]>;
  /** The matching messages in the part of the list that one request searches. */
  findReplies(search: ReplySearch): Promise<Found<ListedReply>>;
}

interface Needs {
  readonly database: Database;
  readonly readPushStates: ReadPushStates;
  readonly carrierNames: ReadCarrierNames;
}

export function createMessages({ database, readPushStates, carrierNames }: Needs): Messages {
  const { db } = database;

  async function checked(filter: MessageFilter): Promise<MessageFilter> {
    const { organizationId, number } = filter;
    await requireOrganization(db, organizationId);
    return number === undefined ? filter : { ...filter, number: await checkNumber(db, organizationId, number) };
  }

  async function toListed(organizationId: string, rows: readonly MessageRow[]): Promise<ListedMessage[]> {
    const pushIds = rows.flatMap(({ push_id }) => (push_id === null ? [] : [push_id]));
    const pushes = await readPushStates(organizationId, pushIds);
    const names = await carrierNames();
    return rows.map((row) => ({ ...keyOf(row, names), ...toReport(row, pushes) }));
  }

  async function toListedReplies(organizationId: string, rows: readonly ReplyRow[]): Promise<ListedReply[]> {
    const pushIds = rows.flatMap(({ push_id }) => (push_id === null ? [] : [push_id]));
    const pushes = await readPushStates(organizationId, pushIds);
    const names = await carrierNames();
    return rows.map((row) => toListedReply(row, pushes, names));
  }

  return {
    async find(given) {
      const filter = await checked(given);
      const { status, organizationId } = filter;
      const isIndexed = status !== 'DELIVRD' && (status === undefined || filter.number === undefined);
      if (isIndexed) return { rows: await toListed(organizationId, await listMessages(db, filter)) };
      const { rows, reached } = await searchBounded<MessageRow>({
        read: (after, limit) => listMessages(db, { ...filter, status: undefined, limit, ...(after && placeOf(after)) }),
        wanted: (row) => (status === 'open' ? row.status === null : row.status === status),
        take: filter.limit,
      });
      const listed = await toListed(organizationId, reached === undefined ? rows : [...rows, reached]);
      const last = listed.at(-1);
      return reached === undefined || last === undefined
        ? { rows: listed }
        : { rows: listed.slice(0, -1), reached: last };
    },

    async replies(filter) {
      if (filter.organizationId !== '') await requireOrganization(db, filter.organizationId);
      return toListedReplies(filter.organizationId, await findReplies(db, filter));
    },

    async findReplies({ number: given, stop, ...filter }) {
      const { organizationId, limit } = filter;
      await requireOrganization(db, organizationId);
      const number = given === undefined ? undefined : await checkNumber(db, organizationId, given);
      const { rows, reached } = await searchBounded<ReplyRow>({
        read: (after, most) => findReplies(db, { ...filter, limit: most, ...(after && { before: after.id }) }),
        wanted: (row) =>
          (number === undefined || row.sender === number) && (stop === undefined || (row.stop === 1) === stop),
        take: limit,
      });
      const listed = await toListedReplies(organizationId, rows);
      const [last] = reached === undefined ? [] : await toListedReplies(organizationId, [reached]);
      return last === undefined ? { rows: listed } : { rows: listed, reached: last };
    },
  };
}

const placeOf = ({ batch_id, position }: MessageRow) => ({ before: batch_id, behind: position });

function keyOf(
  row: MessageRow,
  names: CarrierNames,
): Pick<ListedMessage, 'batch_id' | 'position' | 'number' | 'carrier' | 'carrier_reason'> {
  const { batch_id, position, number, carrier_id, carrier_reason } = row;
  return { batch_id, position, number, carrier: carrierName(carrier_id, names), carrier_reason };
}

function toListedReply(row: ReplyRow, pushes: ReadonlyMap<string, PushState>, names: CarrierNames): ListedReply {
  const push = row.push_id === null ? 'off' : pushes.get(row.push_id);
  return {
    id: row.id,
    mobile: row.sender,
    to: row.recipient,
    message: row.content,
    carrier: carrierName(row.carrier_id, names) ?? row.carrier_id,
    owned_by: row.owned_by,
    stop: row.stop === 1,
    simulated: row.simulated === 1,
    ...(row.organization_id !== '' && push !== undefined && { push }),
    received_at: toRfc3339(row.received_at),
  };
}
