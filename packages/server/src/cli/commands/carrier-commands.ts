import { type Arguments, type Command, type Positional, Usage } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiItem, ApiParts, ApiServer } from '../exchange/api-server.ts';
import { needsMessaging, present } from '../option-values.ts';
import { plainText, textFacts, textTable } from '../text-table.ts';
import { passwordOf, passwordOptions, protocolOf, requireFit, settingOptions, settingsOf } from './carrier-options.ts';
import { pick } from './find-thing.ts';

type Carrier = ApiAnswer<'showCarrier'>;
type Listed = ApiItem<'listCarriers'>;
type NewCarrier = NonNullable<ApiParts<'createCarrier'>['body']>;

const carrierId: Positional = { name: 'ID', help: 'The carrier, as "carrier list" shows it' };

function facts(carrier: Carrier): string {
  const { connections, for_prefix, for_organization, for_sender } = carrier;
  const errors = connections.flatMap(({ last_error }) => (last_error === null ? [] : [plainText(last_error)]));
  const list = (values: readonly string[]) => (values.length === 0 ? undefined : values.join(', '));
  return textFacts({
    id: carrier.id,
    name: carrier.name,
    protocol: carrier.protocol,
    address: carrier.address,
    account: carrier.account,
    state: carrier.state,
    ...present('last error', errors.at(-1)),
    priority: carrier.priority,
    weight: carrier.weight,
    ...present('for numbers', list(for_prefix)),
    ...present('for organizations', list(for_organization)),
    ...present('for senders', list(for_sender)),
    connections: `${connections.filter(({ state }) => state === 'bound').length} of ${carrier.connection_count} bound`,
    window: carrier.window,
    tls: carrier.tls,
    rate: carrier.rate === null ? 'no limit' : `${carrier.rate} a second`,
    submitted: `${carrier.submitted} (accepted ${carrier.accepted}, refused ${carrier.refused}, throttled ${carrier.throttled})`,
    ...present(
      'mean answer',
      carrier.answered === 0 ? undefined : `${Math.round(carrier.answer_ms / carrier.answered)} ms`,
    ),
    receipts: `${carrier.receipts} (unmatched ${carrier.unmatched_receipts})`,
    ...present('last keep-alive', carrier.last_keep_alive_at ?? undefined),
    waiting: carrier.waiting_parts,
  });
}

const create: Command<Carrier> = {
  name: 'carrier create',
  summary: 'Set up a carrier: a link by SMPP or CMPP that takes messages',
  options: {
    name: { type: 'string', required: true, value: 'N', help: 'A name for it' },
    protocol: { type: 'string', required: true, value: 'smpp|cmpp2|cmpp3', help: 'SMPP 3.4, CMPP 2.0 or CMPP 3.0' },
    address: { type: 'string', required: true, value: 'HOST:PORT', help: 'Where it listens' },
    account: { type: 'string', required: true, value: 'ID', help: 'The system_id of SMPP, the SP_Id of CMPP' },
    ...passwordOptions,
    disabled: { type: 'boolean', help: 'Give it no messages yet' },
    ...settingOptions,
  },
  notes: `From the first carrier on, the simulator takes no messages any more. Files are read now, and their content is kept.\n${needsMessaging}`,
  async call(server, args, place) {
    const protocol = protocolOf('protocol', args.required('protocol')) as NewCarrier['protocol'];
    requireFit(args, protocol, this.name);
    const password = await passwordOf(args, place);
    if (password === undefined) throw new Usage('Give --password-file or --password-stdin.', this.name);
    const body = {
      ...(await settingsOf(server, args, place)),
      ...{
        name: args.required('name'),
        protocol,
        address: args.required('address'),
        account: args.required('account'),
      },
      ...{ password, enabled: !args.flag('disabled') },
    };
    return server.call('createCarrier', { body: body as NewCarrier });
  },
  print: facts,
};

const update: Command<Carrier> = {
  name: 'carrier update',
  summary: 'Change a carrier; takes effect without a restart',
  positionals: [carrierId],
  options: {
    name: { type: 'string', value: 'N', help: 'Its new name' },
    address: { type: 'string', value: 'HOST:PORT', help: 'Where it listens' },
    account: { type: 'string', value: 'ID', help: 'The system_id of SMPP, the SP_Id of CMPP' },
    ...passwordOptions,
    ...settingOptions,
    'no-tls-ca': { type: 'boolean', help: 'Check its certificate by the authorities of the machine again' },
    'no-tls-certificate': { type: 'boolean', help: 'Present no certificate any more' },
  },
  notes: 'The protocol stays: create another carrier for another one.',
  async call(server, args, place) {
    for (const option of ['tls-ca', 'tls-certificate']) {
      if (args.flag(option) && args.flag(`no-${option}`)) {
        throw new Usage(`Give --${option} or --no-${option}, not both.`, this.name);
      }
    }
    const body = {
      ...present('name', args.optional('name')),
      ...present('address', args.optional('address')),
      ...present('account', args.optional('account')),
      ...present('password', await passwordOf(args, place)),
      ...(await settingsOf(server, args, place)),
      ...(args.flag('no-tls-ca') && { tls_ca: null }),
      ...(args.flag('no-tls-certificate') && { tls_certificate: null }),
    };
    if (Object.keys(body).length === 0) throw new Usage('Nothing to change was named.', this.name);
    return server.call('updateCarrier', { params: await findCarrier(server, args), body, readBy: 'showCarrier' });
  },
  print: facts,
};

const list: Command<readonly Listed[]> = {
  name: 'carrier list',
  summary: 'List the carriers and their states',
  options: {},
  call: (server) => server.list('listCarriers'),
  print: (carriers) =>
    textTable(
      carriers,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        PROTOCOL: ({ protocol }) => protocol ?? '',
        ADDRESS: ({ address }) => address ?? '',
        STATE: ({ state }) => state,
        PRIORITY: ({ priority }) => priority ?? '',
        WEIGHT: ({ weight }) => weight ?? '',
        WAITING: ({ waiting_parts }) => waiting_parts,
      },
      'There is no carrier here. Set one up: waxwing carrier create',
    ),
};

const show: Command<Carrier> = {
  name: 'carrier show',
  summary: 'Show a carrier: its settings and what its link does',
  positionals: [carrierId],
  options: {},
  call: async (server, args) => server.call('showCarrier', { params: await findCarrier(server, args) }),
  print: facts,
};

function switching(verb: 'enable' | 'disable', summary: string): Command<Carrier> {
  return {
    name: `carrier ${verb}`,
    summary,
    positionals: [carrierId],
    options: {},
    call: async (server, args) =>
      server.call(verb === 'enable' ? 'enableCarrier' : 'disableCarrier', { params: await findCarrier(server, args) }),
    print: facts,
  };
}

const remove: Command<{ readonly id: string }> = {
  name: 'carrier delete',
  summary: 'Delete a carrier; what waits for it goes to other carriers, or waits for one',
  positionals: [carrierId],
  options: { yes: yesOption },
  notes: 'Refused while a route names it. Receipts for what it has taken do not come any more.',
  async call(server, args, { confirm }) {
    const params = await findCarrier(server, args);
    await confirm(async () => {
      const { name } = await server.call('showCarrier', { params });
      const consequence = `${name} takes no messages and brings no receipts any more, and its password is lost.`;
      return { consequence, name };
    });
    await server.call('deleteCarrier', { params });
    return { id: params.carrier_id };
  },
  print: ({ id }) => `Carrier ${id} is deleted.`,
};

/** One that an operator has set up. @throws Problem `not_found`, or `conflict` with the candidates */
async function findCarrier(server: ApiServer, args: Arguments): Promise<{ readonly carrier_id: string }> {
  const { id } = await pickCarrier(server, args.positional('ID'), ({ simulated }) => !simulated);
  return { carrier_id: id };
}

/** @param isMeant which carriers may be named */
export function pickCarrier(
  server: ApiServer,
  text: string,
  isMeant: (carrier: Listed) => boolean = () => true,
): Promise<Listed> {
  return pick<Listed>(text, 'carrier', async ({ search: _all, ...part }) =>
    (await server.list('listCarriers', {}, part)).filter(isMeant),
  );
}

export const carrierCommands: readonly Command[] = [
  create,
  update,
  switching('enable', 'Give messages to a carrier again'),
  switching('disable', 'Give no messages to a carrier; what waits for it goes to others, or waits'),
  list,
  show,
  remove,
];
