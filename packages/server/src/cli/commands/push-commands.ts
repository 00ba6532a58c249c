import type { PushState } from '@waxwing/contract/messaging-api.ts';
import { type Arguments, type Command, type Positional, Usage } from '../command.ts';
import type { ApiAnswer, ApiItem, ApiParts, ApiServer } from '../exchange/api-server.ts';
import { newestFirst } from '../list-pages.ts';
import {
  either,
  mapped,
  momentText,
  needsMessaging,
  oneOf,
  organizationOption,
  ownerOption,
  present,
  since,
} from '../option-values.ts';
import { excerpt, textFacts, textTable } from '../text-table.ts';
import { beforeAllOf, type Named, organizationIfGiven, organizationOf, pick, wholeId } from './find-thing.ts';
import { kindOption, pushKind } from './push-setting-commands.ts';

type Push = ApiItem<'listPushes'>;
type Resend = ApiAnswer<'createResend'>;

const pushId: Positional = { name: 'ID', help: 'The push, as "push list" shows it' };

async function pathTo(server: ApiServer, args: Arguments) {
  const organization_id = await organizationIfGiven(server, args);
  const text = args.positional('ID');
  // There may be millions, and no list of those of all organizations.
  if (organization_id === undefined || wholeId.test(text)) return { organization_id, push_id: text };
  const read = async ({ after = '' }) =>
    after === ''
      ? []
      : server.list('listPushes', { params: { organization_id } }, { limit: 2, after: beforeAllOf(after) });
  return { organization_id, push_id: (await pick<Named>(text, 'push', read)).id };
}

const states: readonly PushState[] = ['waiting', 'delivered', 'failed', 'off'];

const list: Command<readonly Push[]> = {
  name: 'push list',
  summary: 'List the pushes of an organization, newest first',
  options: {
    organization: organizationOption,
    kind: { ...kindOption, help: 'Only statuses, or only replies' },
    state: { type: 'string', value: 'STATE', help: 'Only waiting, delivered, failed or off pushes' },
    ...newestFirst.options,
  },
  async call(server, args) {
    const part = newestFirst.part(args);
    const query = {
      ...present('kind', mapped(args, 'kind', pushKind)),
      ...present(
        'state',
        mapped(args, 'state', (option, text) => oneOf(option, text, states)),
      ),
    };
    const params = { organization_id: await organizationOf(server, args) };
    return server.list('listPushes', { params, query }, part);
  },
  print: (pushes, args) =>
    textTable(
      pushes,
      {
        ID: ({ id }) => id,
        KIND: ({ kind }) => kind,
        STATE: ({ state }) => state,
        ATTEMPTS: ({ attempts }) => attempts,
        MOBILE: ({ parameters }) => parameters.mobile,
        PUSHED: (push) => excerpt(contentOf(push), 40),
        CREATED: ({ created_at }) => created_at,
        'DUE OR ENDED': ({ due_at, ended_at }) => due_at ?? ended_at,
      },
      'There is no push here.',
    ) + newestFirst.next(pushes, args),
};

/** The part of its parameters that people look for: the status, or what was replied. */
function contentOf({ parameters }: Push): string {
  return 'message' in parameters ? parameters.message : parameters.status;
}

const show: Command<ApiAnswer<'showPush'>> = {
  name: 'push show',
  summary: 'Show a push with each of its attempts',
  positionals: [pushId],
  options: { organization: ownerOption },
  call: async (server, args) => server.call('showPush', { params: await pathTo(server, args) }),
  print: ({ attempt_log, ...push }) =>
    [
      facts(push),
      '',
      textTable(
        attempt_log,
        {
          ATTEMPT: ({ number }) => number,
          AT: ({ at }) => at,
          MS: ({ ms }) => ms,
          ADDRESS: ({ address }) => address,
          OUTCOME: ({ outcome }) => outcome,
          STATUS: ({ status }) => status,
          ERROR: ({ error }) => error,
          ANSWER: ({ answer }) => excerpt(answer ?? '', 60),
        },
        'No attempt is recorded.',
      ),
    ].join('\n'),
};

function facts(push: Push): string {
  return textFacts({
    id: push.id,
    organization: push.organization_id,
    kind: push.kind,
    state: push.state,
    ...push.parameters,
    attempts: push.attempts,
    created: push.created_at,
    ...present('due', push.due_at ?? undefined),
    ...present('ended', push.ended_at ?? undefined),
  });
}

const resend: Command<Push | Resend> = {
  name: 'push resend',
  summary: 'Send a push that has ended again, or all that failed, with a new budget of attempts',
  positionals: [{ ...pushId, optional: true }],
  options: {
    organization: {
      ...organizationOption,
      required: false,
      help: 'Those of this organization; with an ID: whose it is',
    },
    kind: { ...kindOption, help: 'Without an ID: final statuses of messages, or replies' },
    since: { type: 'string', value: 'MOMENT', help: 'Those accepted since: 2030-01-31 (UTC), 2030-01-31T12:00:00Z' },
    'all-failed': { type: 'boolean', help: 'All failed pushes (also the default of --since)' },
    undelivered: {
      type: 'boolean',
      help: 'All failed pushes, and the events that were not pushed while the switch was off',
    },
  },
  notes:
    'A push keeps its Webhook-Id, so that its receiver can tell that it came before. Many are sent at the rate of\n' +
    `WAXWING_PUSH_RESEND_RATE; "resend list" shows how far that has come. ${needsMessaging}`,
  async call(server, args) {
    const many = ['kind', 'since', 'all-failed', 'undelivered'].filter((name) => args.flag(name));
    if (args.optionalPositional('ID') === undefined) {
      const body = manyOf(args, this.name);
      return server.call('createResend', { params: { organization_id: await organizationOf(server, args) }, body });
    }
    if (many.length > 0) throw new Usage(`Give the ID of one push or --${many[0]}, not both.`, this.name);
    return server.call('resendPush', { params: await pathTo(server, args) });
  },
  print: (answer) =>
    'moved' in answer
      ? `They are being sent again. See how far it is: waxwing resend list --organization ${answer.organization_id}`
      : facts(answer),
};

function manyOf(args: Arguments, command: string): NonNullable<ApiParts<'createResend'>['body']> {
  const isUndelivered = either(args, 'undelivered', 'all-failed');
  const from = momentText(mapped(args, 'since', since)) ?? undefined;
  if (!args.flag('organization') || !args.flag('kind')) {
    throw new Usage('Give the ID of one push, or --organization and --kind of many.', command);
  }
  // Nobody shall send thousands again by having left something out.
  if (isUndelivered === undefined && from === undefined) {
    throw new Usage('Say which: --since MOMENT, --all-failed or --undelivered.', command);
  }
  return {
    kind: pushKind('kind', args.required('kind')),
    which: isUndelivered === true ? 'undelivered' : 'failed',
    ...present('since', from),
  };
}

const resends: Command<readonly Resend[]> = {
  name: 'resend list',
  formerly: 'push resends',
  summary: 'List the re-sends of many pushes that are under way',
  options: { organization: organizationOption },
  call: async (server, args) =>
    server.list('listResends', { params: { organization_id: await organizationOf(server, args) } }),
  print: (running) =>
    textTable(
      running,
      {
        ID: ({ id }) => id,
        SETTING: ({ setting_id }) => setting_id,
        STATES: (each) => each.states.join(','),
        'PUT BACK': ({ moved }) => moved,
        BEGUN: ({ created_at }) => created_at,
      },
      'No re-send is under way.',
    ),
};

export const pushCommands: readonly Command[] = [list, show, resend, resends];
