import { type Command, Usage } from '../command.ts';
import type { ApiAnswer } from '../exchange/api-server.ts';
import { plainText, textFacts } from '../text-table.ts';
import { pick } from './find-thing.ts';

export const testCarrier: Command<ApiAnswer<'testCarrier'> & { readonly id: string }> = {
  name: 'carrier test',
  summary: 'Bind to a carrier, and ask whether it is there; also while it is disabled',
  positionals: [{ name: 'ID', help: 'The carrier: its id, the beginning of its id, or its name' }],
  options: {
    to: { type: 'string', value: 'N', help: 'Send one message to this phone, international with +' },
    text: { type: 'string', value: 'T', help: 'Its text; "Test by Waxwing" by default' },
  },
  notes: "The exit code is 1 when a step failed, with the carrier's own words.",
  async call(server, args) {
    const to = args.optional('to')?.replace(/[ ().-]/g, '');
    const text = args.optional('text');
    if (to === undefined && text !== undefined) throw new Usage('Give --to with --text.', this.name);
    const { id } = await pick(args.positional('ID'), 'carrier', ({ search: _all, ...part }) =>
      server.list('listCarriers', {}, part),
    );
    const body = { ...(to !== undefined && { to }), ...(text !== undefined && { text }) };
    return { id, ...(await server.call('testCarrier', { params: { carrier_id: id }, body })) };
  },
  print({ steps, error, message_id }) {
    const took = textFacts({
      ...Object.fromEntries(steps.map(({ name, ms }) => [name, `${ms} ms`])),
      ...(message_id !== null && { message: plainText(message_id) }),
    });
    return error === null ? took : `${took}${took === '' ? '' : '\n'}It failed: ${plainText(error)}`;
  },
  isFailure: ({ ok }) => !ok,
};
