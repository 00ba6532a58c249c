import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { acceptSessions } from '@waxwing/carrier-session/accept-sessions.ts';
import type { Session } from '@waxwing/carrier-session/session.ts';
import { defaultLimits } from '@waxwing/carrier-session/session-options.ts';
import type { Outcome } from '@waxwing/carrier-session/session-outcome.ts';
import type { SessionPdu, SessionProtocol } from '@waxwing/carrier-session/session-protocol.ts';
import { isSourceAuthentic } from '@waxwing/cmpp/cmpp-authenticator.ts';
import type { CmppDeliver, CmppPdu, CmppSubmit } from '@waxwing/cmpp/cmpp-pdu.ts';
import { cmpp2Protocol, cmpp3Protocol } from '@waxwing/cmpp/cmpp-protocol.ts';
import { cmpp2, cmpp3 } from '@waxwing/cmpp/cmpp-version.ts';
import { writeStatusReport } from '@waxwing/cmpp/status-report.ts';
import { bareResponse } from '@waxwing/smpp/response-pdu.ts';
import type { DeliverSm, SmppPdu, SubmitSm } from '@waxwing/smpp/smpp-pdu.ts';
import { smppProtocol } from '@waxwing/smpp/smpp-protocol.ts';

export const smscSecret = 'S3cret12';

/** A carrier of tests: it takes binds with the right password and answers submits by a script. */
export interface ScriptedSmsc<P extends SessionPdu, Submit> {
  readonly port: number;
  readonly submitted: readonly Submit[];
  /** The commands of all binds that came, refused ones as well. */
  readonly binds: readonly string[];
  readonly sessions: ReadonlySet<Session<P>>;
  /** Sends a request over the session that takes them. */
  send(build: (sequence: number) => P): Promise<Outcome<P>>;
  /** Waits until so many submits came. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface SmscScript<P, Submit> {
  /** The answer to a submit, number 1 first. Undefined: none. */
  readonly answer?: (submit: Submit, number: number) => P | Promise<P> | undefined;
  readonly port?: number;
}

interface Speech<P extends SessionPdu> {
  readonly protocol: SessionProtocol<P>;
  /** The answer to a bind, and whether it is taken. Undefined: the request is none. */
  bind(request: P): { readonly name: string; readonly answer: P; readonly isTaken: boolean } | undefined;
}

export function smppSmsc(t: TestContext, script: SmscScript<SmppPdu, SubmitSm> = {}) {
  const speech: Speech<SmppPdu> = {
    protocol: smppProtocol,
    bind(request) {
      if (!('password' in request) || request.command === 'outbind') return undefined;
      const isTaken = request.password === smscSecret;
      const answer = bareResponse(request.command, request.sequence, isTaken ? 0 : 0x0e);
      return { name: request.command, answer, isTaken };
    },
  };
  const answer = script.answer ?? ((submit, number) => smppAnswer(submit, `id-${number}`));
  return openSmsc<SmppPdu, SubmitSm>(t, speech, (pdu) => pdu.command === 'submit_sm', { ...script, answer });
}

export function smppAnswer({ sequence }: SubmitSm, messageId: string, status = 0): SmppPdu {
  return { command: 'submit_sm_resp', sequence, status, messageId, tlvs: [] };
}

/** A deliver_sm from a phone to a service. */
export function smppDelivery(fields: Partial<DeliverSm>): (sequence: number) => DeliverSm {
  return (sequence) => ({
    command: 'deliver_sm',
    sequence,
    status: 0,
    serviceType: '',
    source: { ton: 1, npi: 1, address: '8613800138000' },
    destination: { ton: 3, npi: 0, address: '10690' },
    ...{ esmClass: 0, protocolId: 0, priorityFlag: 0, scheduleDeliveryTime: '', validityPeriod: '' },
    ...{ registeredDelivery: 0, replaceIfPresentFlag: 0, dataCoding: 0, smDefaultMsgId: 0 },
    shortMessage: new Uint8Array(),
    tlvs: [],
    ...fields,
  });
}

/** A delivery receipt (SMPP 3.4 appendix B). */
export function smppReceipt(id: string, stat = 'DELIVRD', from = '8613800138000'): (sequence: number) => DeliverSm {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2603011200 done date:2603011200 stat:${stat} err:000 text:`;
  return smppDelivery({
    esmClass: 4,
    source: { ton: 1, npi: 1, address: from },
    shortMessage: Buffer.from(text, 'latin1'),
  });
}

export function cmppSmsc(t: TestContext, version: 'cmpp2' | 'cmpp3', script: SmscScript<CmppPdu, CmppSubmit> = {}) {
  const speech: Speech<CmppPdu> = {
    protocol: version === 'cmpp2' ? cmpp2Protocol : cmpp3Protocol,
    bind(request) {
      if (request.command !== 'connect') return undefined;
      const isTaken = isSourceAuthentic(request, Buffer.from(smscSecret));
      const answer: CmppPdu = {
        command: 'connect_resp',
        sequence: request.sequence,
        status: isTaken ? 0 : 3,
        authenticator: new Uint8Array(16),
        version: request.version,
      };
      return { name: request.command, answer, isTaken };
    },
  };
  const answer = script.answer ?? ((submit, number) => cmppAnswer(submit, String(number)));
  return openSmsc<CmppPdu, CmppSubmit>(t, speech, (pdu) => pdu.command === 'submit', { ...script, answer });
}

export function cmppAnswer({ sequence }: CmppSubmit, messageId: string, result = 0): CmppPdu {
  return { command: 'submit_resp', sequence, messageId, result };
}

export function cmppDelivery(fields: Partial<CmppDeliver>): (sequence: number) => CmppDeliver {
  return (sequence) => ({
    command: 'deliver',
    sequence,
    messageId: '77',
    destinationId: '10690',
    serviceId: '',
    ...{ protocolId: 0, userDataHeader: 0, format: 0, sourceTerminalType: 0, registeredDelivery: 0, linkId: '' },
    sourceTerminalId: '13800138000',
    content: new Uint8Array(),
    ...fields,
  });
}

export function cmppReport(messageId: string, stat: string, version: 'cmpp2' | 'cmpp3') {
  const report = { messageId, stat, submitTime: '2603011200', doneTime: '2603011200' };
  const rest = { destination: '13800138000', smscSequence: 1 };
  const content = writeStatusReport({ ...report, ...rest }, version === 'cmpp2' ? cmpp2 : cmpp3);
  return cmppDelivery({ registeredDelivery: 1, content });
}

async function openSmsc<P extends SessionPdu, Submit extends P>(
  t: TestContext,
  { protocol, bind }: Speech<P>,
  isSubmit: (pdu: P) => boolean,
  script: SmscScript<P, Submit>,
): Promise<ScriptedSmsc<P, Submit>> {
  const submitted: Submit[] = [];
  const binds: string[] = [];
  const changes = new EventTarget();
  const listener = await acceptSessions<P>({
    protocol,
    clock: { now: () => performance.now() },
    limits: defaultLimits,
    listen: { host: '127.0.0.1', port: script.port ?? 0 },
    tls: undefined,
    mostConnections: 50,
    bindLimitMs: 5_000,
    eventsFor: (session) => ({
      async onRequest(request) {
        const bound = bind(request);
        if (bound !== undefined) {
          binds.push(bound.name);
          if (bound.isTaken) session().markBound();
          return bound.answer;
        }
        if (!isSubmit(request)) return undefined;
        submitted.push(request as Submit);
        changes.dispatchEvent(new Event('submit'));
        return script.answer?.(request as Submit, submitted.length);
      },
    }),
  });
  const close = () => listener.close(0);
  t.after(close);
  return {
    port: listener.port,
    submitted,
    binds,
    sessions: listener.sessions,
    send(build) {
      const session = [...listener.sessions].findLast(({ isBound }) => isBound);
      if (session === undefined) throw new Error('nobody is bound');
      return session.submit(build);
    },
    async received(count) {
      while (submitted.length < count) await once(changes, 'submit');
    },
    close,
  };
}
