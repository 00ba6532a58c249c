import type { ScriptObject } from './script-object.ts';
import type { SmscProtocolName } from './smsc-protocol.ts';
import { type ReplyPlan, replyLongs, segmentOrders } from './smsc-script.ts';

/** Ten segments and more in every alphabet. */
const longestReply = 2000;

/** The field `replies`. Undefined: it is not given. */
export function parseReplies(object: ScriptObject, protocol: SmscProtocolName): readonly ReplyPlan[] | undefined {
  return object.objects('replies')?.map((reply) => {
    const plan = readReply(reply, protocol);
    reply.end();
    return plan;
  });
}

function readReply(object: ScriptObject, protocol: SmscProtocolName): ReplyPlan {
  const text = object.text('text', `a text of 1 to ${longestReply} characters`, (each) => {
    return each.length >= 1 && each.length <= longestReply;
  });
  if (!object.has('text')) object.fault('text', 'is missing.');
  const long = object.oneOf('long', replyLongs) ?? 'udh8';
  if (long !== 'udh8' && protocol !== 'smpp') object.fault('long', 'must be "udh8", unless the protocol is smpp.');
  return {
    text: text ?? '',
    after: object.span('after') ?? { least: 0, most: 0 },
    long,
    order: object.oneOf('order', segmentOrders) ?? 'in-order',
  };
}
