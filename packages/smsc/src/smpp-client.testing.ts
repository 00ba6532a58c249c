import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { bareResponse } from '@waxwing/smpp/response-pdu.ts';
import type { SmppPdu, SubmitSm, SubmitSmResp } from '@waxwing/smpp/smpp-pdu.ts';
import { commonSubmit } from '@waxwing/smpp/smpp-pdus.testing.ts';
import { smppProtocol } from '@waxwing/smpp/smpp-protocol.ts';
import { type TrialClient, type TrialClientOptions, trialClient } from './trial-client.testing.ts';
import { trialAccount } from './trial-smsc.testing.ts';

type BindCommand = 'bind_transceiver' | 'bind_transmitter' | 'bind_receiver';

export interface SmppClient extends TrialClient<SmppPdu> {
  /** Submits a text to this number, and gives the answer. */
  send(destination: string, fields?: Partial<SubmitSm>): Promise<SubmitSmResp>;
}

/** Bound as a transceiver, unless told. It acknowledges everything, unless told. */
export async function smppClient(
  t: TestContext,
  port: number,
  { command = 'bind_transceiver', ...options }: TrialClientOptions<SmppPdu> & { readonly command?: BindCommand } = {},
): Promise<SmppClient> {
  const answer = ({ sequence }: SmppPdu) => bareResponse('deliver_sm', sequence, 0);
  const client = await trialClient(t, port, smppProtocol, { answer, ...options });
  const { status } = (await client.ask(smppBind(command))) as SubmitSmResp;
  assert.equal(status, 0);
  client.session.markBound();
  return {
    ...client,
    send: async (destination, fields) => (await client.ask(smppSubmit(destination, fields))) as SubmitSmResp,
  };
}

export function smppBind(command: BindCommand, password = trialAccount.password, systemId = trialAccount.id) {
  return (sequence: number): SmppPdu => ({
    command,
    sequence,
    status: 0,
    systemId,
    password,
    systemType: '',
    interfaceVersion: 0x34,
    addrTon: 0,
    addrNpi: 0,
    addressRange: '',
    tlvs: [],
  });
}

export function smppSubmit(destination: string, fields: Partial<SubmitSm> = {}) {
  return (sequence: number): SubmitSm => ({
    ...commonSubmit,
    destination: { ton: 1, npi: 1, address: destination },
    sequence,
    ...fields,
  });
}
