import { ConnectTimeout } from './open-connection.ts';
import type { SessionEnd } from './session-outcome.ts';

/** What a person reads when a connection could not be opened. Names no secret. */
export function wordsForConnectFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof ConnectTimeout) return 'the server did not answer in time';
  return systemFaults[code ?? ''] ?? shownWords(`the connection failed: ${message}`);
}

const systemFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the server refused the connection (ECONNREFUSED)',
  ECONNRESET: 'the server broke the connection off (ECONNRESET)',
  ENOTFOUND: 'the host name does not exist (ENOTFOUND)',
  EAI_AGAIN: 'the host name could not be looked up (EAI_AGAIN)',
  EHOSTUNREACH: 'the host cannot be reached (EHOSTUNREACH)',
  ENETUNREACH: 'the network cannot be reached (ENETUNREACH)',
  ETIMEDOUT: 'the server did not answer (ETIMEDOUT)',
  EPROTO: 'the server does not speak TLS as it should (EPROTO)',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER)',
  CERT_HAS_EXPIRED: 'the certificate of the server has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the server is self-signed and not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of the server is from an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of the server is from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate of the server is from an authority that is not trusted',
};

/** What a person reads when a session has ended. */
export function wordsForEnd(end: SessionEnd): string {
  return end.why === 'connection-error' ? wordsForConnectFault(end.error) : endings[end.why];
}

const endings: Readonly<Record<Exclude<SessionEnd['why'], 'connection-error'>, string>> = {
  drained: 'the session was closed',
  'not-drained-in-time': 'the session was cut off because the carrier did not end it in time',
  'peer-farewell': 'the carrier ended the session',
  'peer-closed': 'the carrier closed the connection',
  'impossible-length': 'the carrier sent octets that are not of this protocol',
  'keep-alive-unanswered': 'the carrier did not answer a keep-alive',
  'peer-reads-nothing': 'the carrier does not read what is sent',
  destroyed: 'the session was cut off',
};

const longestWords = 300;

/** Words of a peer, for a line of text. */
export function shownWords(words: string): string {
  return words.replace(/\p{Cc}+/gu, ' ').slice(0, longestWords);
}
