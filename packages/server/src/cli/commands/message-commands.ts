import type { MessageReport } from '@waxwing/contract/messaging-api.ts';
import { type Command, Usage } from '../command.ts';
import type { ApiAnswer, ApiItem, ApiServer } from '../exchange/api-server.ts';
import { listPages } from '../list-pages.ts';
import { listed, mapped, needsMessaging, oneOf, organizationOption, present } from '../option-values.ts';
import { textFacts, textTable } from '../text-table.ts';
import { beforeAllOf, type Named, organizationOf, pick, wholeId } from './find-thing.ts';

const send: Command<ApiAnswer<'sendByHand'> & { readonly organization_id: string }> = {
  name: 'message send',
  summary: 'Send a text message for an organization',
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
  async call(server, args) {
    const body = {
      mobiles: listed(args, 'to'),
      content: args.required('text'),
      ...present('sender', args.optional('sender')),
    };
    const organization_id = await organizationOf(server, args);
    const { batch_id } = await server.call('sendByHand', { params: { organization_id }, body });
    return { batch_id, organization_id };
  },
  print: ({ batch_id, organization_id }) =>
    [
      textFacts({ batch: batch_id }),
      '',
      `It is accepted. See what becomes of it: waxwing message show ${batch_id} --organization ${organization_id}`,
    ].join('\n'),
};

const newestBatchesFirst = listPages<ApiItem<'listMessages'>>({
  standard: 100,
  from: 'before',
  option: { value: 'BATCH[:N]', help: 'Go on before this batch, or behind message N of it' },
  place: placeInList,
  behind: ({ batch_id, position }) => `${batch_id}:${position}`,
});

const statuses = ['DELIVRD', 'UNDELIV', 'REJECTED', 'open'] as const;

const list: Command<readonly ApiItem<'listMessages'>[]> = {
  name: 'message list',
  summary: 'List the messages of an organization, newest batches first',
  options: {
    organization: organizationOption,
    batch: { type: 'string', value: 'ID', help: 'Only messages of this batch' },
    number: { type: 'string', value: 'N', help: 'Only messages to this phone number' },
    status: { type: 'string', value: 'STATUS', help: 'Only DELIVRD, UNDELIV, REJECTED, or open: none of them yet' },
    ...newestBatchesFirst.options,
  },
  async call(server, args) {
    const part = newestBatchesFirst.part(args);
    const query = {
      ...present('batch_id', args.optional('batch')),
      ...present('mobile', args.optional('number')),
      ...present(
        'status',
        mapped(args, 'status', (option, text) => oneOf(option, text, statuses)),
      ),
    };
    const params = { organization_id: await organizationOf(server, args) };
    return server.list('listMessages', { params, query }, part);
  },
  print: (messages, args) =>
    textTable(
      messages,
      { BATCH: ({ batch_id }) => batch_id, ...columns, CARRIER: ({ carrier }) => carrier },
      'There is no message here.',
    ) + newestBatchesFirst.next(messages, args),
};

/** A batch has a thousand messages at most: behind this position is none of it. */
const behindAll = 9_999;

function placeInList(option: string, text: string): readonly [batch: string, position: number] {
  const [, batch, position = behindAll] = /^([^:]+)(?::(\d{1,4}))?$/.exec(text) ?? [];
  if (batch === undefined) throw new Usage(`--${option} must be a batch, or a batch, a colon and a number.`);
  return [batch, Number(position)];
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

type ShownMessage = ApiAnswer<'showMessageBatch'>['messages'][number];

const carrierColumns = {
  CARRIER: ({ carrier }: ShownMessage) => carrier ?? '',
  'CHOSEN AS': ({ carrier_reason }: ShownMessage) => carrier_reason ?? '',
} as const;

async function findBatch(server: ApiServer, organization_id: string, text: string): Promise<string> {
  if (wholeId.test(text)) return text;
  const next = async (after: readonly [batch: string, position: number]) =>
    (await server.list('listMessages', { params: { organization_id } }, { limit: 1, after })).map((message) => ({
      id: message.batch_id,
    }));
  const read = async ({ after = '' }) => {
    const [first] = after === '' ? [] : await next([beforeAllOf(after), behindAll]);
    return first === undefined ? [] : [first, ...(await next([first.id, behindAll]))];
  };
  return (await pick<Named>(text, 'batch', read, 'message list')).id;
}

const show: Command<ApiAnswer<'showMessageBatch'>> = {
  name: 'message show',
  summary: 'Show the state of each message of a batch',
  positionals: [{ name: 'BATCH', help: 'The batch, as "message send" and the interface answer it' }],
  options: { organization: organizationOption },
  async call(server, args) {
    const organization_id = await organizationOf(server, args);
    const batch_id = await findBatch(server, organization_id, args.positional('BATCH'));
    return server.call('showMessageBatch', { params: { organization_id, batch_id } });
  },
  print: ({ batch_id, accepted_at, messages }) =>
    [
      textFacts({ batch: batch_id, accepted: accepted_at }),
      '',
      textTable(messages, { ...columns, ...carrierColumns }, 'It has no message.'),
    ].join('\n'),
};

export const messageCommands: readonly Command[] = [send, list, show];
