import type { i18n as Languages } from 'i18next';
import { faultText } from '../../parts/text/fault-text.ts';
import { sentenceReader } from '../../parts/text/read-sentence.ts';

/** What is wrong with a link, which the server tells in English, in the reader's language. Pure. */

/** The sentences of the server: those of connections, of sessions, of binds, and of tests. */
export const carrierFaults = {
  connectionRefused: 'the server refused the connection (ECONNREFUSED)',
  connectionReset: 'the server broke the connection off (ECONNRESET)',
  noSuchHost: 'the host name does not exist (ENOTFOUND)',
  noLookup: 'the host name could not be looked up (EAI_AGAIN)',
  hostUnreachable: 'the host cannot be reached (EHOSTUNREACH)',
  networkUnreachable: 'the network cannot be reached (ENETUNREACH)',
  noAnswerOfServer: 'the server did not answer (ETIMEDOUT)',
  noTls: 'the server does not speak TLS as it should (EPROTO)',
  noTlsOnPort: 'the server does not speak TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER)',
  answeredTooLate: 'the server did not answer in time',
  expired: 'the certificate of the server has expired',
  selfSigned: 'the certificate of the server is self-signed and not trusted',
  untrusted: 'the certificate of the server is from an authority that is not trusted',
  connectionFailed: 'the connection failed: {{words}}',
  connectedTooLate: 'no connection within {{ms}} ms',
  closed: 'the session was closed',
  notDrained: 'the session was cut off because the carrier did not end it in time',
  farewell: 'the carrier ended the session',
  closedByPeer: 'the carrier closed the connection',
  impossibleLength: 'the carrier sent octets that are not of this protocol',
  keepAliveUnanswered: 'the carrier did not answer a keep-alive',
  readsNothing: 'the carrier does not read what is sent',
  cutOff: 'the session was cut off',
  bindRefused: 'the carrier refused the bind: {{words}}',
  bindDoesNotFit: 'the settings of the link do not fit into a bind',
  bindUnanswered: 'the carrier did not answer the bind',
  bindMalformed: 'the answer to the bind is malformed',
  noAnswerToBind: 'no answer to the bind: {{fault}}',
  messageRefused: 'the carrier refused the message: {{words}}',
  lateBind: 'no answer to the bind in time',
  lateMessage: 'no answer to the message in time',
  lateAnswer: 'no answer to {{what}} in time',
  noAnswer: 'no answer to {{what}}: {{why}}',
} as const;

export type CarrierFault = keyof typeof carrierFaults;

const readFault = sentenceReader(carrierFaults);

/** In the reader's language where the sentence is known; the words of a carrier unchanged. */
export function carrierFaultText(languages: Pick<Languages, 't' | 'exists' | 'language'>, message: string): string {
  const known = readFault(message);
  if (known === undefined) return message;
  const { fault, ...parameters } = known.parameters;
  const inside = fault === undefined ? {} : { fault: carrierFaultText(languages, fault) };
  return faultText(languages, 'carrierFaults.*', { ...known, message, parameters: { ...parameters, ...inside } });
}
