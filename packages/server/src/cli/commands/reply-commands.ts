import { type Command, Usage } from '../command.ts';
import type { ApiItem } from '../exchange/api-server.ts';
import { newestFirst } from '../list-pages.ts';
import { organizationOption } from '../option-values.ts';
import { excerpt, textTable } from '../text-table.ts';
import { organizationIfGiven } from './find-thing.ts';

export const listReplies: Command<readonly ApiItem<'listReplies'>[]> = {
  name: 'reply list',
  summary: 'List the replies to an organization, or unmatched replies, newest first',
  options: {
    organization: { ...organizationOption, required: false },
    unmatched: { type: 'boolean', help: 'Those that no route and no message leads to an organization' },
    ...newestFirst.options,
  },
  async call(server, args) {
    if (args.flag('organization') === args.flag('unmatched')) {
      throw new Usage('Give --organization ID or --unmatched, one of them.', this.name);
    }
    const part = newestFirst.part(args);
    const organization_id = await organizationIfGiven(server, args);
    return organization_id === undefined
      ? server.list('listUnmatchedReplies', {}, part)
      : server.list('listReplies', { params: { organization_id } }, part);
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
    ) + newestFirst.next(replies, args),
};
