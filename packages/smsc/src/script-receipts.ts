import type { ScriptObject } from './script-object.ts';
import { type SmppState, smppStates } from './smpp-receipt.ts';
import type { SmscProtocolName } from './smsc-protocol.ts';
import { dateDigits, plainReceipt, type ReceiptPlan, receiptForms } from './smsc-script.ts';

const mostTimes = 100;
const words = Object.keys(smppStates) as readonly SmppState[];

/** What the script says of all receipts: the fields `receipt_form` and `receipt_dates`. */
export function receiptDefaults(object: ScriptObject, protocol: SmscProtocolName): ReceiptPlan {
  return {
    ...plainReceipt,
    form: ofSmpp(object, 'receipt_form', protocol, () => object.oneOf('receipt_form', receiptForms)) ?? 'both',
    dateDigits: ofSmpp(object, 'receipt_dates', protocol, () => object.oneOf('receipt_dates', dateDigits)) ?? 10,
  };
}

/** The field `receipts`. Undefined: it is not given. */
export function parseReceipts(
  object: ScriptObject,
  defaults: ReceiptPlan,
  protocol: SmscProtocolName,
): readonly ReceiptPlan[] | undefined {
  return object.objects('receipts')?.flatMap((receipt) => {
    const plan = readReceipt(receipt, defaults, protocol);
    const times = receipt.whole('times', 1, mostTimes) ?? 1;
    receipt.end();
    return Array.from({ length: times }, () => plan);
  });
}

function readReceipt(object: ScriptObject, defaults: ReceiptPlan, protocol: SmscProtocolName): ReceiptPlan {
  const plan: ReceiptPlan = {
    state: readState(object, protocol) ?? defaults.state,
    after: object.span('after') ?? defaults.after,
    isBeforeAnswer: object.flag('before_answer') ?? false,
    error: ofSmpp(object, 'error', protocol, () => object.whole('error', 0, 0xffff)) ?? defaults.error,
    form: ofSmpp(object, 'form', protocol, () => object.oneOf('form', receiptForms)) ?? defaults.form,
    dateDigits: ofSmpp(object, 'dates', protocol, () => object.oneOf('dates', dateDigits)) ?? defaults.dateDigits,
  };
  if (plan.isBeforeAnswer && object.has('after')) object.fault('after', 'does not go with before_answer.');
  return plan;
}

function readState(object: ScriptObject, protocol: SmscProtocolName): string | undefined {
  if (protocol === 'smpp') return object.oneOf('state', words);
  return object.text('state', 'a Stat of 1 to 7 visible characters, such as "DELIVRD" or "MA:0001"', (text) =>
    /^[!-~]{1,7}$/.test(text),
  );
}

function ofSmpp<Value>(
  object: ScriptObject,
  name: string,
  protocol: SmscProtocolName,
  read: () => Value | undefined,
): Value | undefined {
  const value = read();
  if (value !== undefined && protocol !== 'smpp') object.fault(name, 'is for smpp alone.');
  return value;
}
