import type { PushState } from '@waxwing/contract/messaging-api.ts';
import type { PushKind } from '@waxwing/contract/push-request.ts';
import type { Resend } from '../push/manage-pushes.ts';
import type { Push, PushDetails } from '../push/push-view.ts';
import { Problem } from '../runtime/problem.ts';
import { type Arguments, type Command, type Positional, Usage } from './command.ts';
import { needsMessaging, requireMessaging } from './messaging-half.ts';
import {
  beforeId,
  either,
  isBefore,
  mapped,
  momentText,
  newestFirstOptions,
  nextPage,
  oneOf,
  organizationOption,
  present,
  readLimit,
  remoteOrganization,
  since,
} from './option-values.ts';
import { kindOption, pushKind } from './push-setting-commands.ts';
import { excerpt, textFacts, textTable } from './text-table.ts';

const pushId: Positional = { name: 'ID', help: 'The push, as "push list" shows it' };

const states: readonly PushState[] = ['waiting', 'delivered', 'failed', 'off'];

interface ListInput {
  readonly organizationId: string;
  readonly kind?: PushKind;
  readonly state?: PushState;
  readonly before?: string;
  readonly limit: number;
}

const list: Command<ListInput, readonly Push[]> = {
  name: 'push list',
  summary: 'List the pushes of an organization, newest first',
  options: {
    organization: organizationOption,
    kind: { ...kindOption, help: 'Only statuses, or only replies' },
    state: { type: 'string', value: 'STATE', help: 'Only those that are waiting, delivered, failed or off' },
    ...newestFirstOptions,
  },
  prepare: (args) => ({
    organizationId: args.required('organization'),
    limit: readLimit(args, 100),
    ...present('kind', mapped(args, 'kind', pushKind)),
    ...present(
      'state',
      mapped(args, 'state', (option, text) => oneOf(option, text, states)),
    ),
    ...present('before', args.optional('before')),
  }),
  run: (application, filter) => application.messaging.pushes.list(filter),
  remote: (server, { organizationId, kind, state, before, limit }) =>
    server.list(
      'listPushes',
      { params: { organization_id: organizationId }, query: { ...present('kind', kind), ...present('state', state) } },
      { limit, ...isBefore('id', before) },
    ),
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
    ) + nextPage(pushes, readLimit(args, 100), beforeId),
};

/** The part of its parameters that people look for: the status, or what was replied. */
function contentOf({ parameters }: Push): string {
  return 'message' in parameters ? parameters.message : parameters.status;
}

const show: Command<{ readonly id: string }, PushDetails> = {
  name: 'push show',
  summary: 'Show a push with each of its attempts',
  positionals: [pushId],
  options: { organization: remoteOrganization },
  prepare: (args) => ({ id: args.positional('ID') }),
  run: (application, { id }) => application.messaging.pushes.show(id),
  remote: (server, { id }, args) =>
    server.call('showPush', { params: { organization_id: args.optional('organization'), push_id: id } }),
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

interface ResendMany {
  readonly organizationId: string;
  readonly kind: PushKind;
  readonly since?: number;
  readonly which: 'failed' | 'undelivered';
}

interface ResendOne {
  readonly id: string;
  /** Whose it has to be, where that was said. */
  readonly organizationId?: string;
}

type ResendInput = ResendOne | ResendMany;

const resend: Command<ResendInput, Push | Resend> = {
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
    'all-failed': { type: 'boolean', help: 'All that failed; --since alone means those too' },
    undelivered: { type: 'boolean', help: 'All that failed, and what the switch kept back while it was off' },
  },
  notes:
    'A push keeps its Webhook-Id, so that its receiver can tell that it came before. Many are sent at the rate of\n' +
    `WAXWING_PUSH_RESEND_RATE; "push resends" shows how far that has come. ${needsMessaging}`,
  prepare(args) {
    const id = args.optionalPositional('ID');
    const many = ['kind', 'since', 'all-failed', 'undelivered'].filter((name) => args.flag(name));
    if (id === undefined) return manyOf(args, this.name);
    if (many.length > 0) throw new Usage(`Give the ID of one push or --${many[0]}, not both.`, this.name);
    return { id, ...present('organizationId', args.optional('organization')) };
  },
  async run(application, input, actor) {
    requireMessaging(application);
    const { pushes } = application.messaging;
    if (!('id' in input)) return pushes.resend(actor, input);
    const { id, organizationId } = input;
    if (organizationId !== undefined && (await pushes.show(id)).organization_id !== organizationId) {
      throw new Problem('not_found', { field: 'push' });
    }
    return pushes.resendOne(actor, id);
  },
  remote(server, input) {
    if ('id' in input) {
      return server.call('resendPush', { params: { organization_id: input.organizationId, push_id: input.id } });
    }
    const { organizationId, kind, which, since: from } = input;
    return server.call('createResend', {
      params: { organization_id: organizationId },
      body: { kind, which, ...present('since', momentText(from)) },
    });
  },
  print: (answer) =>
    'moved' in answer
      ? `They are being sent again. See how far it is: waxwing push resends --organization ${answer.organization_id}`
      : facts(answer),
};

function manyOf(args: Arguments, command: string): ResendMany {
  const isUndelivered = either(args, 'undelivered', 'all-failed');
  const from = mapped(args, 'since', since);
  if (!args.flag('organization') || !args.flag('kind')) {
    throw new Usage('Give the ID of one push, or --organization and --kind of many.', command);
  }
  // Nobody shall send thousands again by having left something out.
  if (isUndelivered === undefined && from === undefined) {
    throw new Usage('Say which: --since MOMENT, --all-failed or --undelivered.', command);
  }
  return {
    organizationId: args.required('organization'),
    kind: pushKind('kind', args.required('kind')),
    which: isUndelivered === true ? 'undelivered' : 'failed',
    ...present('since', from),
  };
}

const resends: Command<{ readonly organizationId: string }, readonly Resend[]> = {
  name: 'push resends',
  summary: 'List the re-sends of many pushes that are under way',
  options: { organization: organizationOption },
  prepare: (args) => ({ organizationId: args.required('organization') }),
  run: (application, { organizationId }) => application.messaging.pushes.resends(organizationId),
  remote: (server, { organizationId }) => server.list('listResends', { params: { organization_id: organizationId } }),
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
