import type { DialFailure } from './dial.ts';
import type { BlockedReason } from './target-guard.ts';

/** What went wrong, in words of ours: no address, no URL. */
export function failureWords(failure: DialFailure): string {
  switch (failure.kind) {
    case 'timedOut':
      return 'No answer came in time.';
    case 'refused':
      return `No connection came about (${failure.code}).`;
    case 'blocked':
      return blockedWords[failure.why];
    case 'broken':
      return `The connection broke off before the answer was complete (${failure.code}).`;
    case 'badCertificate':
      return `The certificate of the server is not trusted (${failure.code}).`;
    case 'unresolved':
      return `The name of the server does not resolve (${failure.code}).`;
    case 'cutOff':
      return 'The request was cut off on our side.';
  }
}

const blockedWords: Readonly<Record<BlockedReason, string>> = {
  'local-name': 'The host is this machine itself.',
  'not-public': 'The address of the server is not public.',
  'own-address': 'The address is this service itself.',
};
