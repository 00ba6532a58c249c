import type { ListedReply } from '../messages/manage-messages.ts';
import { type Command, Usage } from './command.ts';
import {
  beforeId,
  isBefore,
  newestFirstOptions,
  nextPage,
  organizationOption,
  present,
  readLimit,
} from './option-values.ts';
import { excerpt, textTable } from './text-table.ts';

interface ListInput {
  /** Empty: those that are nobody's. */
  readonly organizationId: string;
  readonly before?: string;
  readonly limit: number;
}

const list: Command<ListInput, readonly ListedReply[]> = {
  name: 'reply list',
  summary: 'List the replies to an organization, or those that are nobody’s, newest first',
  options: {
    organization: { ...organizationOption, required: false },
    unmatched: { type: 'boolean', help: 'Those that no route and no message leads to an organization' },
    ...newestFirstOptions,
  },
  prepare(args) {
    const organizationId = args.optional('organization');
    if ((organizationId === undefined) !== args.flag('unmatched')) {
      throw new Usage('Give --organization ID or --unmatched, one of them.', this.name);
    }
    return {
      organizationId: organizationId ?? '',
      limit: readLimit(args, 100),
      ...present('before', args.optional('before')),
    };
  },
  run: (application, filter) => application.messaging.messages.replies(filter),
  remote(server, { organizationId, before, limit }) {
    const part = { limit, ...isBefore('id', before) };
    return organizationId === ''
      ? server.list('listUnmatchedReplies', {}, part)
      : server.list('listReplies', { params: { organization_id: organizationId } }, part);
  },
  print: (replies, args) =>
    textTable(
      replies,
      {
        ID: ({ id }) => id,
        RECEIVED: ({ received_at }) => received_at,
        MOBILE: ({ mobile }) => mobile,
        TO: ({ to }) => to,
        MESSAGE: ({ message }) => excerpt(message, 40),
        STOP: ({ stop }) => stop,
        'FOUND BY': ({ owned_by }) => owned_by,
        SIMULATED: ({ simulated }) => simulated,
      },
      'There is no reply here.',
    ) + nextPage(replies, readLimit(args, 100), beforeId),
};

export const replyCommands: readonly Command[] = [list];
