import { type Command, Usage } from '../command.ts';
import type { ApiParts } from '../exchange/api-server.ts';
import { needsMessaging } from '../option-values.ts';

type Reply = NonNullable<ApiParts<'replyBySimulator'>['body']>;

/** As messages keep their numbers (E.164): a reply finds the message it answers by this very text. */
const internationalNumber = /^\+[1-9]\d{3,14}$/;
/** Digits or a name, as in the address field of SMPP (3.4 §5.2.9). */
const longestAddress = 20;

export const replyBySimulator: Command<Reply> = {
  name: 'simulator reply',
  summary: 'Simulate a reply from a phone; nothing leaves the simulator',
  options: {
    from: { type: 'string', required: true, value: 'N', help: 'The phone that replies, international with +' },
    to: { type: 'string', required: true, value: 'N', help: 'The number or sender that is replied to' },
    text: { type: 'string', required: true, value: 'T', help: 'What is replied; STOP ends all messages to the phone' },
  },
  notes: `Routes, and else the latest message to that phone, decide whose it is: see "reply list".\n${needsMessaging}`,
  async call(server, args) {
    const from = args.required('from').replace(/[ ().-]/g, '');
    if (!internationalNumber.test(from)) {
      throw new Usage('--from must be an international phone number such as +8613800138000.', this.name);
    }
    const to = args.required('to').trim();
    if (to.length > longestAddress) throw new Usage(`--to has more than ${longestAddress} characters.`, this.name);
    const body = { from, to, text: args.required('text') };
    await server.call('replyBySimulator', { body });
    return body;
  },
  print: () => 'The reply is taken. See it: waxwing reply list',
};
