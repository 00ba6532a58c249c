import { type Command, Usage } from './command.ts';
import { mapped, numberOrOff, organizationOption, present } from './option-values.ts';
import type { RemoteAnswer } from './remote-server.ts';
import { textFacts } from './text-table.ts';

type MessagingSettings = RemoteAnswer<'showMessagingSettings'>;

function facts(settings: MessagingSettings): string {
  return textFacts({
    organization: settings.organization_id,
    'default region': settings.default_region ?? 'none: only international numbers',
    'messages/s': settings.messages_per_second ?? 'not limited',
    'messages/day': settings.messages_per_day ?? 'not limited',
  });
}

const show: Command<{ readonly organizationId: string }, MessagingSettings> = {
  name: 'messaging-setting show',
  summary: 'Show how an organization sends: its default region and its quotas',
  options: { organization: organizationOption },
  prepare: (args) => ({ organizationId: args.required('organization') }),
  run: (application, { organizationId }) => application.messaging.settings.show(organizationId),
  remote: (server, { organizationId }) =>
    server.call('showMessagingSettings', { params: { organization_id: organizationId } }),
  print: facts,
};

const mostPerSecond = 1_000_000;
const mostPerDay = 1_000_000_000_000;

interface SetInput {
  readonly organizationId: string;
  readonly defaultRegion?: string | null;
  readonly messagesPerSecond?: number | null;
  readonly messagesPerDay?: number | null;
}

const set: Command<SetInput, MessagingSettings> = {
  name: 'messaging-setting set',
  summary: 'Change how an organization sends; true from the next request on',
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
  prepare(args) {
    const input: SetInput = {
      organizationId: args.required('organization'),
      ...present(
        'defaultRegion',
        mapped(args, 'default-region', (_, text) => (text.toLowerCase() === 'none' ? null : text)),
      ),
      ...present(
        'messagesPerSecond',
        mapped(args, 'messages-per-second', (option, text) => numberOrOff(option, text, mostPerSecond)),
      ),
      ...present(
        'messagesPerDay',
        mapped(args, 'messages-per-day', (option, text) => numberOrOff(option, text, mostPerDay)),
      ),
    };
    if (Object.keys(input).length === 1) throw new Usage('Nothing to change was named.', this.name);
    return input;
  },
  run: (application, { organizationId, ...changes }, actor) =>
    application.messaging.settings.update(actor, organizationId, changes),
  /** The region is for the organization to say, the quotas for operators: two operations, the one that may fail first. */
  async remote(server, { organizationId, defaultRegion, messagesPerSecond, messagesPerDay }) {
    const common = { params: { organization_id: organizationId }, readBy: 'showMessagingSettings' } as const;
    const quotas = {
      ...present('messages_per_second', messagesPerSecond),
      ...present('messages_per_day', messagesPerDay),
    };
    if (Object.keys(quotas).length > 0) {
      const settings = await server.call('updateQuotas', { ...common, body: quotas });
      if (defaultRegion === undefined) return settings;
    }
    return server.call('updateMessagingSettings', { ...common, body: { default_region: defaultRegion ?? null } });
  },
  print: facts,
};

export const messagingSettingCommands: readonly Command[] = [show, set];
