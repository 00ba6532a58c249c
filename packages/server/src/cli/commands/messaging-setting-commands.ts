import { type Command, Usage } from '../command.ts';
import type { ApiAnswer } from '../exchange/api-server.ts';
import { mapped, numberOrOff, organizationOption, present } from '../option-values.ts';
import { textFacts } from '../text-table.ts';
import { organizationOf } from './find-thing.ts';

type MessagingSettings = ApiAnswer<'showMessagingSettings'>;

function facts(settings: MessagingSettings): string {
  return textFacts({
    organization: settings.organization_id,
    'default region': settings.default_region ?? 'none: only international numbers',
    'messages/s': settings.messages_per_second ?? 'not limited',
    'messages/day': settings.messages_per_day ?? 'not limited',
  });
}

const show: Command<MessagingSettings> = {
  name: 'messaging-setting show',
  summary: 'Show how an organization sends: its default region and its quotas',
  options: { organization: organizationOption },
  call: async (server, args) =>
    server.call('showMessagingSettings', { params: { organization_id: await organizationOf(server, args) } }),
  print: facts,
};

const mostPerSecond = 1_000_000;
const mostPerDay = 1_000_000_000_000;

const set: Command<MessagingSettings> = {
  name: 'messaging-setting set',
  summary: 'Change how an organization sends; takes effect on the next request',
  options: {
    organization: organizationOption,
    'default-region': {
      type: 'string',
      value: 'CC|none',
      help: 'The country of numbers without a leading +, such as CN',
    },
    'messages-per-second': { type: 'string', value: 'N|off', help: 'More than so many in a second are refused' },
    'messages-per-day': {
      type: 'string',
      value: 'N|off',
      help: 'What is beyond it in a day (in UTC) ends as REJECTED',
    },
  },
  /** The region is for the organization to say, the quotas for operators: two operations, the one that may fail first. */
  async call(server, args) {
    const region = mapped(args, 'default-region', (_, text) => (text.toLowerCase() === 'none' ? null : text));
    const numberUpTo = (most: number) => (option: string, text: string) => numberOrOff(option, text, most);
    const quotas = {
      ...present('messages_per_second', mapped(args, 'messages-per-second', numberUpTo(mostPerSecond))),
      ...present('messages_per_day', mapped(args, 'messages-per-day', numberUpTo(mostPerDay))),
    };
    const changesQuotas = Object.keys(quotas).length > 0;
    if (region === undefined && !changesQuotas) throw new Usage('Nothing to change was named.', this.name);
    const params = { organization_id: await organizationOf(server, args) };
    const common = { params, readBy: 'showMessagingSettings' } as const;
    if (changesQuotas) {
      const settings = await server.call('updateQuotas', { ...common, body: quotas });
      if (region === undefined) return settings;
    }
    return server.call('updateMessagingSettings', { ...common, body: { default_region: region ?? null } });
  },
  print: facts,
};

export const messagingSettingCommands: readonly Command[] = [show, set];
