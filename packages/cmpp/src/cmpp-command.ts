import type { BodyCodec } from './body-codec.ts';
import type { CmppCommand, CmppPdu, CmppPduOf } from './cmpp-pdu.ts';
import {
  activeTestBody,
  activeTestResponseBody,
  connectBody,
  connectResponseBody,
  terminateBody,
  terminateResponseBody,
} from './connect-bodies.ts';
import { deliverBody, deliverResponseBody } from './deliver-bodies.ts';
import { cancelBody, cancelResponseBody, queryBody, queryResponseBody } from './query-bodies.ts';
import { submitBody, submitResponseBody } from './submit-bodies.ts';

export interface CmppCommandEntry<Pdu extends CmppPdu> {
  /** Command_Id (CMPP 3.0.0 §8.7.1). */
  readonly id: number;
  readonly body: BodyCodec<Pdu>;
}

/** The highest bit of a Command_Id tells a response. */
export const responseBit = 0x8000_0000;

export const cmppCommands: { readonly [Command in CmppCommand]: CmppCommandEntry<CmppPduOf<Command>> } = {
  connect: { id: 0x0000_0001, body: connectBody },
  connect_resp: { id: 0x8000_0001, body: connectResponseBody },
  terminate: { id: 0x0000_0002, body: terminateBody },
  terminate_resp: { id: 0x8000_0002, body: terminateResponseBody },
  submit: { id: 0x0000_0004, body: submitBody },
  submit_resp: { id: 0x8000_0004, body: submitResponseBody },
  deliver: { id: 0x0000_0005, body: deliverBody },
  deliver_resp: { id: 0x8000_0005, body: deliverResponseBody },
  query: { id: 0x0000_0006, body: queryBody },
  query_resp: { id: 0x8000_0006, body: queryResponseBody },
  cancel: { id: 0x0000_0007, body: cancelBody },
  cancel_resp: { id: 0x8000_0007, body: cancelResponseBody },
  active_test: { id: 0x0000_0008, body: activeTestBody },
  active_test_resp: { id: 0x8000_0008, body: activeTestResponseBody },
};

const namesById: ReadonlyMap<number, CmppCommand> = new Map(
  Object.entries(cmppCommands).map(([name, { id }]) => [id, name as CmppCommand]),
);

/** Undefined for commands that no provider has to know, such as those between gateways. */
export function commandWithId(id: number): CmppCommand | undefined {
  return namesById.get(id);
}
