import { cmppResults } from '@waxwing/cmpp/cmpp-result.ts';
import { commandStatus } from '@waxwing/smpp/command-status.ts';
import type { ScriptObject } from './script-object.ts';
import type { SmscProtocolName } from './smsc-protocol.ts';
import type { AnswerPlan } from './smsc-script.ts';

const answers = ['accept', 'lost', 'none', 'throttle', 'refuse', 'disconnect', 'half-open'] as const;

/** The fields `answer` and `code`. Undefined: neither is given. */
export function parseAnswer(object: ScriptObject, protocol: SmscProtocolName): AnswerPlan | undefined {
  const kind = object.oneOf('answer', answers);
  const code = object.whole('code', 1, protocol === 'cmpp2' ? 0xff : 0xffff_ffff);
  if (kind === 'throttle') return { kind: 'refuse', isThrottling: true, code: code ?? throttlingCode(protocol) };
  if (kind === 'refuse') return refusal(object, code);
  if (object.has('code')) object.fault('code', 'goes with the answers "refuse" and "throttle" alone.');
  return kind === undefined ? undefined : { kind };
}

function refusal(object: ScriptObject, code: number | undefined): AnswerPlan {
  if (!object.has('code')) object.fault('code', 'is missing: the answer "refuse" needs it.');
  return { kind: 'refuse', isThrottling: false, code: code ?? 1 };
}

function throttlingCode(protocol: SmscProtocolName): number {
  return protocol === 'smpp' ? commandStatus.ESME_RTHROTTLED : cmppResults.flowControl;
}
