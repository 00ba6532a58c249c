import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isGatewayAuthentic, sourceAuthenticator } from '@waxwing/cmpp/cmpp-authenticator.ts';
import type {
  CmppConnect,
  CmppConnectResponse,
  CmppPdu,
  CmppSubmit,
  CmppSubmitResponse,
} from '@waxwing/cmpp/cmpp-pdu.ts';
import { cmpp2Protocol, cmpp3Protocol } from '@waxwing/cmpp/cmpp-protocol.ts';
import { exampleSubmit } from '@waxwing/cmpp/cmpp-values.testing.ts';
import type { CmppVersion } from '@waxwing/cmpp/cmpp-version.ts';
import { type TrialClient, type TrialClientOptions, trialClient } from './trial-client.testing.ts';
import { trialAccount } from './trial-smsc.testing.ts';

export interface CmppClient extends TrialClient<CmppPdu> {
  send(destination: string, fields?: Partial<CmppSubmit>): Promise<CmppSubmitResponse>;
}

const timestamp = 1_126_202_000;

/** Connected as the trial account. It acknowledges everything, unless told. */
export async function cmppClient(
  t: TestContext,
  port: number,
  version: CmppVersion,
  options: TrialClientOptions<CmppPdu> = {},
): Promise<CmppClient> {
  const protocol = version.name === 'cmpp2' ? cmpp2Protocol : cmpp3Protocol;
  const client = await trialClient(t, port, protocol, { answer: acknowledged, ...options });
  const connect = cmppConnect(version);
  const response = (await client.ask(connect)) as CmppConnectResponse;
  const secret = Buffer.from(trialAccount.password);
  assert.equal(response.status, 0);
  assert.ok(isGatewayAuthentic(response, connect(1).authenticator, secret, version));
  client.session.markBound();
  return {
    ...client,
    send: async (destination, fields) => (await client.ask(cmppSubmit(destination, fields))) as CmppSubmitResponse,
  };
}

export function acknowledged(request: CmppPdu): CmppPdu {
  assert.equal(request.command, 'deliver');
  return { command: 'deliver_resp', sequence: request.sequence, messageId: request.messageId, result: 0 };
}

export function cmppConnect(version: CmppVersion, password = trialAccount.password, sourceAddress = trialAccount.id) {
  const authenticator = sourceAuthenticator({ sourceAddress, timestamp }, Buffer.from(password));
  return (sequence: number): CmppConnect => {
    return { command: 'connect', sequence, sourceAddress, authenticator, version: version.octet, timestamp };
  };
}

export function cmppSubmit(destination: string, fields: Partial<CmppSubmit> = {}) {
  return (sequence: number): CmppSubmit => ({
    ...exampleSubmit,
    feeTerminalId: '',
    segmentCount: 1,
    userDataHeader: 0,
    content: Buffer.from('4e2d6587', 'hex'),
    destinations: [destination],
    sequence,
    ...fields,
  });
}
