import { type SendingFailure, sendingFailureWords } from '@waxwing/contract/sending-failures.ts';
import type { DialFailure } from './dial.ts';
import type { BlockedReason } from './target-guard.ts';

/** The failure in words of ours: no address, no URL. */
export function failureWords(failure: DialFailure): string {
  switch (failure.kind) {
    case 'timedOut':
      return sendingFailureWords('timedOut');
    case 'refused':
      return sendingFailureWords('noConnection', failure);
    case 'blocked':
      return sendingFailureWords(blockedFailures[failure.why]);
    case 'broken':
      return sendingFailureWords('brokenOff', failure);
    case 'badCertificate':
      return sendingFailureWords('untrusted', failure);
    case 'unresolved':
      return sendingFailureWords('unresolved', failure);
    case 'cutOff':
      return sendingFailureWords('cutOff');
  }
}

const blockedFailures: Readonly<Record<BlockedReason, SendingFailure>> = {
  'local-name': 'localName',
  'not-public': 'notPublic',
  'own-address': 'ownAddress',
};
