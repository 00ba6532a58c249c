import { parseAnswer } from './script-answer.ts';
import { type ScriptFault, ScriptObject } from './script-object.ts';
import { parseReceipts, receiptDefaults } from './script-receipts.ts';
import { parseReplies } from './script-replies.ts';
import type { SmscProtocolName } from './smsc-protocol.ts';
import {
  type Behaviour,
  messageIdStyles,
  plainScript,
  type ReceiptPlan,
  type ScriptRule,
  type ScriptTls,
  type SmscScript,
  type Span,
} from './smsc-script.ts';

/** What a script says, or everything that is wrong with it. */
export type ParsedScript =
  | { readonly script: SmscScript; readonly faults?: undefined }
  | { readonly script?: undefined; readonly faults: readonly ScriptFault[] };

const mostRate = 1_000_000;
const mostCount = 1_000_000_000;
/** Apart from the answer, so that a receipt which comes first is seen first. */
const defaultLead: Span = { least: 50, most: 50 };

/** @param text JSON */
export function parseScript(text: string, protocol: SmscProtocolName): ParsedScript {
  const faults: ScriptFault[] = [];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { faults: [{ field: '', message: `is no JSON: ${(error as Error).message}` }] };
  }
  const script = readScript(new ScriptObject(json, '', faults), protocol);
  return faults.length === 0 ? { script } : { faults };
}

function readScript(object: ScriptObject, protocol: SmscProtocolName): SmscScript {
  const receipt = receiptDefaults(object, protocol);
  const plain: Behaviour = { ...plainScript.otherwise, receipts: [receipt] };
  const otherwise = readBehaviour(object.object('otherwise'), plain, receipt, protocol);
  const script: SmscScript = {
    messageIds: readMessageIds(object, protocol),
    rate: object.whole('rate', 1, mostRate),
    disconnectAfter: object.whole('disconnect_after', 1, mostCount),
    halfOpenAfter: object.whole('half_open_after', 1, mostCount),
    tls: readTls(object.object('tls')),
    rules: (object.objects('rules') ?? []).map((rule) => readRule(rule, otherwise, receipt, protocol)),
    otherwise,
  };
  object.end();
  return script;
}

function readMessageIds(object: ScriptObject, protocol: SmscProtocolName): SmscScript['messageIds'] {
  const style = object.oneOf('message_ids', messageIdStyles);
  if (style !== undefined && protocol !== 'smpp') object.fault('message_ids', 'is for smpp alone.');
  return style ?? plainScript.messageIds;
}

function readTls(object: ScriptObject | undefined): ScriptTls | undefined {
  if (object === undefined) return undefined;
  const path = (name: string) => object.text(name, 'the path of a PEM file', (text) => text !== '');
  const tls = { certificate: path('certificate'), key: path('key'), clientAuthorities: path('client_authorities') };
  for (const name of ['certificate', 'key']) if (!object.has(name)) object.fault(name, 'is missing.');
  object.end();
  return { certificate: tls.certificate ?? '', key: tls.key ?? '', clientAuthorities: tls.clientAuthorities };
}

function readRule(
  object: ScriptObject,
  otherwise: Behaviour,
  receipt: ReceiptPlan,
  protocol: SmscProtocolName,
): ScriptRule {
  const prefix = object.text('prefix', 'digits, with or without +', (text) => /^\+?\d{1,20}$/.test(text)) ?? '';
  const share = object.share('share') ?? 1;
  return { prefix: prefix.replace('+', ''), share, behaviour: readBehaviour(object, otherwise, receipt, protocol) };
}

/** @param inherited for the fields that are not given */
function readBehaviour(
  object: ScriptObject | undefined,
  inherited: Behaviour,
  receipt: ReceiptPlan,
  protocol: SmscProtocolName,
): Behaviour {
  if (object === undefined) return inherited;
  const receipts = parseReceipts(object, receipt, protocol) ?? inherited.receipts;
  const behaviour: Behaviour = {
    answer: parseAnswer(object, protocol) ?? inherited.answer,
    answerAfter: object.span('answer_after') ?? leadFor(receipts, inherited),
    receipts,
    replies: parseReplies(object, protocol) ?? inherited.replies,
  };
  object.end();
  return behaviour;
}

function leadFor(receipts: readonly ReceiptPlan[], { answerAfter }: Behaviour): Span {
  const needsLead = receipts.some(({ isBeforeAnswer }) => isBeforeAnswer) && answerAfter.least === 0;
  return needsLead ? defaultLead : answerAfter;
}
