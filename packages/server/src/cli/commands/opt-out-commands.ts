import type { Command } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiItem } from '../exchange/api-server.ts';
import { byPhoneNumber } from '../list-pages.ts';
import { organizationOption, phoneNumberOption } from '../option-values.ts';
import { textFacts, textTable } from '../text-table.ts';
import { organizationOf } from './find-thing.ts';

type OptOut = ApiItem<'listOptOuts'>;

const add: Command<OptOut> = {
  name: 'opt-out add',
  summary: "Record that a number opts out of an organization's messages",
  options: { organization: organizationOption, number: phoneNumberOption },
  async call(server, args) {
    const organization_id = await organizationOf(server, args);
    return server.call('addOptOut', { params: { organization_id }, body: { number: args.required('number') } });
  },
  print: ({ number, source, created_at }) => textFacts({ number, source, since: created_at }),
};

const list: Command<readonly OptOut[]> = {
  name: 'opt-out list',
  summary: "List the numbers that have opted out of an organization's messages",
  options: { organization: organizationOption, ...byPhoneNumber.options },
  async call(server, args) {
    const part = byPhoneNumber.part(args);
    const params = { organization_id: await organizationOf(server, args) };
    return server.list('listOptOuts', { params }, part);
  },
  print: (optOuts, args) =>
    textTable(
      optOuts,
      {
        NUMBER: ({ number }) => number,
        SOURCE: ({ source }) => source,
        SINCE: ({ created_at }) => created_at,
      },
      'Nobody has opted out.',
    ) + byPhoneNumber.next(optOuts, args),
};

const remove: Command<{ readonly number: string }> = {
  name: 'opt-out remove',
  summary: 'Let an organization write to a number again',
  options: { organization: organizationOption, number: phoneNumberOption, yes: yesOption },
  async call(server, args, { confirm }) {
    const number = args.required('number');
    await confirm(() => ({
      consequence: `${number} gets messages again from now on, and when and how it opted out is forgotten.`,
      name: number,
    }));
    const organization_id = await organizationOf(server, args);
    await server.call('removeOptOut', { params: { organization_id }, body: { number } });
    return { number };
  },
  print: ({ number }) => `${number} gets messages again.`,
};

export const optOutCommands: readonly Command[] = [add, list, remove];
