import type { SessionPdu } from './session-protocol.ts';

/** What became of a request of ours. */
export type Outcome<P extends SessionPdu> =
  | { readonly kind: 'answered'; readonly response: P }
  /** Written, at least perhaps: the peer may have taken it. */
  | { readonly kind: 'unanswered'; readonly why: 'malformed-response' | 'connection-ended' }
  /** `late`: the response, should it come after all in this session. It never rejects, and may never resolve. */
  | { readonly kind: 'unanswered'; readonly why: 'time-out'; readonly late: Promise<P> }
  /** The peer has not seen it. */
  | { readonly kind: 'not-sent'; readonly why: 'session-ending' | 'session-ended' }
  /** A field does not fit: another attempt fails as well. */
  | { readonly kind: 'not-sent'; readonly why: 'cannot-encode'; readonly error: unknown };

/** Why a session ended. */
export type SessionEnd =
  | {
      readonly why:
        | 'drained'
        | 'not-drained-in-time'
        | 'peer-farewell'
        | 'peer-closed'
        | 'impossible-length'
        | 'keep-alive-unanswered'
        | 'peer-reads-nothing'
        | 'destroyed';
    }
  | { readonly why: 'connection-error'; readonly error: Error };
