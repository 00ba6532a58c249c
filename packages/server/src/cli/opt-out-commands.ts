import type { OptOut } from '../messages/manage-opt-outs.ts';
import type { Command } from './command.ts';
import { yesOption } from './confirmation.ts';
import {
  afterNumber,
  isAfter,
  nextPage,
  numberPageOptions,
  organizationOption,
  phoneNumberOption,
  present,
  readLimit,
} from './option-values.ts';
import { textFacts, textTable } from './text-table.ts';

interface Named {
  readonly organizationId: string;
  readonly number: string;
}

const add: Command<Named, OptOut> = {
  name: 'opt-out add',
  summary: 'Record that a number wants no more messages of an organization',
  options: { organization: organizationOption, number: phoneNumberOption },
  prepare: (args) => ({ organizationId: args.required('organization'), number: args.required('number') }),
  run: (application, { organizationId, number }, actor) =>
    application.messaging.optOuts.add(actor, organizationId, number),
  remote: (server, { organizationId, number }) =>
    server.call('addOptOut', { params: { organization_id: organizationId }, body: { number } }),
  print: ({ number, source, created_at }) => textFacts({ number, source, since: created_at }),
};

interface ListInput {
  readonly organizationId: string;
  readonly after?: string;
  readonly limit: number;
}

const list: Command<ListInput, readonly OptOut[]> = {
  name: 'opt-out list',
  summary: 'List the numbers that want no more messages of an organization',
  options: { organization: organizationOption, ...numberPageOptions },
  prepare: (args) => ({
    organizationId: args.required('organization'),
    limit: readLimit(args, 1000),
    ...present('after', args.optional('after')),
  }),
  run: (application, { organizationId, ...page }) => application.messaging.optOuts.list(organizationId, page),
  remote: (server, { organizationId, after, limit }) =>
    server.list('listOptOuts', { params: { organization_id: organizationId } }, { limit, ...isAfter('number', after) }),
  print: (optOuts, args) =>
    textTable(
      optOuts,
      {
        NUMBER: ({ number }) => number,
        SOURCE: ({ source }) => source,
        SINCE: ({ created_at }) => created_at,
      },
      'Nobody has opted out.',
    ) + nextPage(optOuts, readLimit(args, 1000), afterNumber),
};

const remove: Command<Named, { readonly number: string }> = {
  name: 'opt-out remove',
  summary: 'Let an organization write to a number again',
  options: { organization: organizationOption, number: phoneNumberOption, yes: yesOption },
  prepare: (args) => ({ organizationId: args.required('organization'), number: args.required('number') }),
  question: async ({ number }) => ({
    consequence: `${number} gets messages again from now on, and when and how it opted out is forgotten.`,
    name: number,
  }),
  run: (application, { organizationId, number }, actor) =>
    application.messaging.optOuts.remove(actor, organizationId, number),
  async remote(server, { organizationId, number }) {
    await server.call('removeOptOut', { params: { organization_id: organizationId }, body: { number } });
    return { number };
  },
  print: ({ number }) => `${number} gets messages again.`,
};

export const optOutCommands: readonly Command[] = [add, list, remove];
