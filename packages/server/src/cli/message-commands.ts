import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type { BatchReportSuccess, MessageReport } from '@waxwing/contract/messaging-api.ts';
import type { ListedMessage } from '../messages/manage-messages.ts';
import { type Command, Usage } from './command.ts';
import { needsMessaging, requireMessaging } from './messaging-half.ts';
import {
  listed,
  mapped,
  newestFirstOptions,
  nextPage,
  oneOf,
  organizationOption,
  present,
  readLimit,
} from './option-values.ts';
import { textFacts, textTable } from './text-table.ts';

interface SendInput {
  readonly organizationId: string;
  readonly mobiles: readonly string[];
  readonly content: string;
  readonly sender?: string;
}

interface Sent {
  readonly batch_id: string;
  readonly organization_id: string;
}

const send: Command<SendInput, Sent> = {
  name: 'message send',
  summary: 'Send a text message for an organization, as by its interface',
  options: {
    organization: organizationOption,
    to: {
      type: 'string',
      required: true,
      multiple: true,
      value: 'N[,N]',
      help: 'Phone numbers, international with +, or national where the organization has a default region',
    },
    text: { type: 'string', required: true, value: 'T', help: 'What is sent, of at most 10 segments' },
    sender: { type: 'string', value: 'S', help: 'The number or name that the recipient sees' },
  },
  notes: `Quotas, opt-outs and blocked lists count as for any message. Without a server it waits until one runs.\n${needsMessaging}`,
  prepare: (args) => ({
    organizationId: args.required('organization'),
    mobiles: listed(args, 'to'),
    content: args.required('text'),
    ...present('sender', args.optional('sender')),
  }),
  async run(application, { organizationId, ...body }, actor) {
    requireMessaging(application);
    const batchId = await application.messaging.sendByHand(actor, organizationId, body);
    return { batch_id: batchId, organization_id: organizationId };
  },
  async remote(server, { organizationId, ...body }) {
    const sent = await server.call('sendByHand', { params: { organization_id: organizationId }, body });
    return { ...sent, organization_id: organizationId };
  },
  print: ({ batch_id, organization_id }) =>
    [
      textFacts({ batch: batch_id }),
      '',
      `It is accepted. See what becomes of it: waxwing message show ${batch_id} --organization ${organization_id}`,
    ].join('\n'),
};

const statuses = ['DELIVRD', 'UNDELIV', 'REJECTED', 'open'] as const;

interface ListInput {
  readonly organizationId: string;
  readonly batchId?: string;
  readonly number?: string;
  readonly status?: (typeof statuses)[number];
  readonly before?: string;
  readonly behind?: number;
  readonly limit: number;
}

const list: Command<ListInput, readonly ListedMessage[]> = {
  name: 'message list',
  summary: 'List the messages of an organization, newest batches first',
  options: {
    organization: organizationOption,
    batch: { type: 'string', value: 'ID', help: 'Only those of this batch' },
    number: { type: 'string', value: 'N', help: 'Only those to this phone number' },
    status: { type: 'string', value: 'STATUS', help: 'Only DELIVRD, UNDELIV, REJECTED, or open: none of them yet' },
    limit: newestFirstOptions.limit,
    before: { type: 'string', value: 'BATCH[:N]', help: 'Go on before this batch, or behind message N of it' },
  },
  prepare: (args) => ({
    organizationId: args.required('organization'),
    limit: readLimit(args, 100),
    ...present('batchId', args.optional('batch')),
    ...present('number', args.optional('number')),
    ...present(
      'status',
      mapped(args, 'status', (option, text) => oneOf(option, text, statuses)),
    ),
    ...mapped(args, 'before', placeInList),
  }),
  run: (application, filter) => application.messaging.messages.list(filter),
  remote: (server, { organizationId, batchId, number, status, before, behind, limit }) =>
    server.list(
      'listMessages',
      {
        params: { organization_id: organizationId },
        query: { ...present('batch_id', batchId), ...present('mobile', number), ...present('status', status) },
      },
      { limit, ...(before !== undefined && { isWanted: isBehind(before, behind) }) },
    ),
  print: (messages, args) =>
    textTable(
      messages,
      { BATCH: ({ batch_id }) => batch_id, ...columns, CARRIER: ({ carrier }) => carrier },
      'There is no message here.',
    ) + nextPage(messages, readLimit(args, 100), ({ batch_id, position }) => `--before ${batch_id}:${position}`),
};

function placeInList(option: string, text: string): { readonly before: string; readonly behind?: number } {
  const [, before, position] = /^([^:]+)(?::(\d{1,4}))?$/.exec(text) ?? [];
  if (before === undefined) throw new Usage(`--${option} must be a batch, or a batch, a colon and a number.`);
  return { before, ...present('behind', position === undefined ? undefined : Number(position)) };
}

function isBehind(before: string, behind = Number.POSITIVE_INFINITY) {
  return ({ batch_id, position }: Pick<ListedMessage, 'batch_id' | 'position'>): boolean =>
    batch_id < before || (batch_id === before && position > behind);
}

const columns = {
  MOBILE: ({ mobile }: MessageReport) => mobile,
  STATE: ({ state, status }: MessageReport) => status ?? state,
  MEMO: ({ memo }: MessageReport) => memo,
  SEGMENTS: ({ segments }: MessageReport) => segments,
  SIMULATED: ({ simulated }: MessageReport) => simulated,
  PUSH: ({ push }: MessageReport) => push,
  ACCEPTED: ({ accepted_at }: MessageReport) => accepted_at,
  SETTLED: ({ settled_at }: MessageReport) => settled_at,
} as const;

interface ShowInput {
  readonly organizationId: string;
  readonly batchId: string;
}

const show: Command<ShowInput, Shown<BatchReportSuccess['data']>> = {
  name: 'message show',
  summary: 'Show what became of a batch of messages',
  positionals: [{ name: 'BATCH', help: 'The batch, as "message send" and the interface answer it' }],
  options: { organization: organizationOption },
  prepare: (args) => ({ organizationId: args.required('organization'), batchId: args.positional('BATCH') }),
  run: (application, { organizationId, batchId }) => application.messaging.messages.show(organizationId, batchId),
  remote: (server, { organizationId, batchId }) =>
    server.call('showMessageBatch', { params: { organization_id: organizationId, batch_id: batchId } }),
  print: ({ batch_id, accepted_at, messages }) =>
    [
      textFacts({ batch: batch_id, accepted: accepted_at }),
      '',
      textTable(messages, columns, 'It has no message.'),
    ].join('\n'),
};

export const messageCommands: readonly Command[] = [send, list, show];
