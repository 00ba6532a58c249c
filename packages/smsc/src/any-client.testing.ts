/** Clients of all protocols in the same words, for tests of what holds in each. */
import type { TestContext } from 'node:test';
import type { SessionLimits } from '@waxwing/carrier-session/session-options.ts';
import type { SessionEnd } from '@waxwing/carrier-session/session-outcome.ts';
import type { CmppPdu } from '@waxwing/cmpp/cmpp-pdu.ts';
import { cmpp2, cmpp3 } from '@waxwing/cmpp/cmpp-version.ts';
import { statMeaning } from '@waxwing/cmpp/stat-meaning.ts';
import { isStatusReport, readStatusReport } from '@waxwing/cmpp/status-report.ts';
import { readReceipt } from '@waxwing/smpp/delivery-receipt.ts';
import { bareResponse } from '@waxwing/smpp/response-pdu.ts';
import type { SmppPdu } from '@waxwing/smpp/smpp-pdu.ts';
import { acknowledged, cmppClient, cmppSubmit } from './cmpp-client.testing.ts';
import { smppClient, smppSubmit } from './smpp-client.testing.ts';
import type { SmscProtocolName } from './smsc-protocol.ts';
import type { TrialClient } from './trial-client.testing.ts';

export interface AnyClient {
  /** What became of a submit: its code and id, or why there is no answer. */
  send(destination: string): Promise<{ readonly code?: number; readonly id?: string; readonly why?: string }>;
  /** The receipts once there are so many: id and state (SMPP 3.4 §5.2.28). */
  receipts(count: number): Promise<readonly SeenReceipt[]>;
  readonly order: readonly string[];
  readonly ended: Promise<SessionEnd>;
  /** Whether the carrier answers a keep-alive. */
  isAlive(): Promise<boolean>;
  destroy(): void;
}

export interface SeenReceipt {
  readonly id: string | undefined;
  readonly state: number | undefined;
}

export interface AnyClientOptions {
  readonly limits?: Partial<SessionLimits>;
  /** For each receipt and reply, in their order: 0 acknowledges it, undefined leaves it without an answer. */
  readonly answer?: (index: number) => number | undefined;
}

export const everyProtocol: readonly SmscProtocolName[] = ['smpp', 'cmpp2', 'cmpp3'];

/** Bound as the trial account. */
export async function anyClient(
  t: TestContext,
  protocol: SmscProtocolName,
  port: number,
  { limits = {}, answer = () => 0 }: AnyClientOptions = {},
): Promise<AnyClient> {
  let index = -1;
  const nextCode = () => {
    index += 1;
    return answer(index);
  };
  if (protocol === 'smpp') {
    const client = await smppClient(t, port, { limits, answer: (request) => smppAnswer(request, nextCode()) });
    return { ...common(client, smppSubmit, smppCode), receipts: async (n) => (await client.receives(n)).map(smppSeen) };
  }
  const version = protocol === 'cmpp2' ? cmpp2 : cmpp3;
  const client = await cmppClient(t, port, version, { limits, answer: (request) => cmppAnswer(request, nextCode()) });
  return { ...common(client, cmppSubmit, cmppCode), receipts: async (n) => (await client.receives(n)).map(cmppSeen) };
}

function common<P extends SmppPdu | CmppPdu>(
  client: TrialClient<P>,
  submit: (destination: string) => (sequence: number) => P,
  read: (response: P) => { readonly code: number; readonly id: string },
): Omit<AnyClient, 'receipts'> {
  return {
    order: client.order,
    ended: client.session.ended,
    async send(destination) {
      const outcome = await client.session.submit(submit(destination));
      return outcome.kind === 'answered' ? read(outcome.response) : { why: outcome.why };
    },
    isAlive: async () => (await client.session.tryConnection()).kind === 'answered',
    destroy: () => client.session.destroy(),
  };
}

function smppAnswer({ sequence }: SmppPdu, code: number | undefined): SmppPdu | undefined {
  return code === undefined ? undefined : bareResponse('deliver_sm', sequence, code);
}

function cmppAnswer(request: CmppPdu, result: number | undefined): CmppPdu | undefined {
  return result === undefined
    ? undefined
    : { ...(acknowledged(request) as { command: 'deliver_resp' } & CmppPdu), result };
}

function smppCode(response: SmppPdu) {
  return { code: response.status, id: response.command === 'submit_sm_resp' ? response.messageId : '' };
}

function cmppCode(response: CmppPdu) {
  return response.command === 'submit_resp' ? { code: response.result, id: response.messageId } : { code: -1, id: '' };
}

function smppSeen(pdu: SmppPdu): SeenReceipt {
  const receipt = pdu.command === 'deliver_sm' ? readReceipt(pdu) : undefined;
  return { id: receipt?.messageId, state: receipt?.state };
}

function cmppSeen(pdu: CmppPdu): SeenReceipt {
  const report = pdu.command === 'deliver' && isStatusReport(pdu) ? readStatusReport(pdu.content) : undefined;
  return { id: report?.messageId, state: report === undefined ? undefined : statMeaning(report.stat).state };
}
