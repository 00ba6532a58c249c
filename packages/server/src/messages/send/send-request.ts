import { schemaCheck } from '@waxwing/contract/management-api/check-input.ts';
import { maxMobiles, maxSegments, SendMessagesRequest, senderPattern } from '@waxwing/contract/messaging-api.ts';
import { type SegmentedText, segmentsOf } from '@waxwing/smpp/text.ts';
import { Problem } from '../../runtime/problem.ts';
import { type Region, readPhoneNumber } from '../senders/phone-number.ts';

export interface Recipient {
  /** As the request wrote it: what status pushes and answers echo. */
  readonly mobile: string;
  /** E.164 with `+`. */
  readonly number: string;
}

/** A request that is accepted as a whole: one message to each recipient. */
export interface SendRequest {
  /** The body as it came. */
  readonly body: SendMessagesRequest;
  /** In the order of the request, each number once; of several spellings the first is echoed. */
  readonly recipients: readonly Recipient[];
  /** Well-formed UTF-16: a lone surrogate has become U+FFFD, which is what any database would make of it. */
  readonly content: string;
  readonly text: SegmentedText;
  readonly sender: string | undefined;
}

/** Characters, in any alphabet. */
const longestSegment = 160;
const senderForm = new RegExp(senderPattern);
const fields: ReadonlySet<string> = new Set(['mobile', 'mobiles', 'content', 'sender']);

/**
 * Reads the parsed JSON body of POST /api/messages. One bad entry refuses the whole request.
 *
 * @param region of national numbers; undefined: only international ones are accepted
 * @throws Problem `invalid_parameter` with the first field at fault, such as `mobiles[3]`
 */
export function readSendRequest(body: unknown, region: Region | undefined): SendRequest {
  if (!isObject(body)) throw fault('body', 'is not a JSON object; send {"mobile": …, "content": …}');
  for (const name of Object.keys(body)) {
    if (!fields.has(name))
      throw fault(name, `is not a field of this request; its fields are ${[...fields].join(', ')}`);
  }
  const recipients = readRecipients(body, region);
  const { content, text } = readContent(body.content);
  const sender = readSender(body);
  return { body: body as SendMessagesRequest, recipients, content, text, sender };
}

const formCheck = schemaCheck(SendMessagesRequest);

/**
 * Whether a body has the form of a request, whatever its numbers and its text. A body without it was never accepted.
 */
export function hasSendForm(body: unknown): body is SendMessagesRequest {
  return formCheck(body).length === 0;
}

function readRecipients(body: Readonly<Record<string, unknown>>, region: Region | undefined): readonly Recipient[] {
  if ('mobile' in body && 'mobiles' in body) throw fault('mobiles', 'and mobile are both given; give one of them');
  if (!('mobiles' in body)) return [readRecipient('mobile', body.mobile, region)];
  const { mobiles } = body;
  if (!Array.isArray(mobiles)) throw fault('mobiles', 'is not an array of phone numbers');
  if (mobiles.length === 0) throw fault('mobiles', 'is empty; give at least one phone number');
  if (mobiles.length > maxMobiles) {
    throw fault('mobiles', `has ${mobiles.length} entries; split the batch, ${maxMobiles} is the most`);
  }
  const byNumber = new Map<string, Recipient>();
  for (const [index, mobile] of mobiles.entries()) {
    const recipient = readRecipient(`mobiles[${index}]`, mobile, region);
    if (!byNumber.has(recipient.number)) byNumber.set(recipient.number, recipient);
  }
  return [...byNumber.values()];
}

function readRecipient(field: string, mobile: unknown, region: Region | undefined): Recipient {
  if (mobile === undefined) throw fault(field, 'is missing; give the phone number to send to');
  if (typeof mobile !== 'string') throw fault(field, 'is not a string; write the phone number in quotes');
  const reading = readPhoneNumber(mobile, region);
  if ('fault' in reading) throw fault(field, reading.fault);
  return { mobile, number: reading.number };
}

function readContent(given: unknown): { readonly content: string; readonly text: SegmentedText } {
  if (given === undefined) throw fault('content', 'is missing; give the text to send');
  if (typeof given !== 'string') throw fault('content', 'is not a string');
  if (given === '') throw fault('content', 'is empty; give the text to send');
  // PostgreSQL cannot store it, and no handset shows it.
  if (given.includes('\0')) throw fault('content', 'holds the character U+0000; leave it out');
  // Spares cutting a megabyte into segments (40 ms) only to refuse it.
  if (given.length > maxSegments * longestSegment) throw tooLong();
  const content = given.toWellFormed();
  const text = segmentsOf(content);
  if (text.segments.length > maxSegments) throw tooLong();
  return { content, text };
}

function readSender(body: Readonly<Record<string, unknown>>): string | undefined {
  if (!('sender' in body)) return undefined;
  const { sender } = body;
  if (typeof sender === 'string' && senderForm.test(sender)) return sender;
  throw fault('sender', 'is neither 3 to 20 digits nor a name of at most 11 letters, digits, spaces, ".", "_" and "-"');
}

function tooLong(): Problem {
  return fault('content', `takes more than ${maxSegments} segments; shorten it`);
}

/** @param predicate the rest of a sentence that begins with the field */
function fault(field: string, predicate: string): Problem {
  return new Problem('invalid_parameter', { field, detail: `${field} ${predicate}.` });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
