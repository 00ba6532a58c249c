import { hash } from 'node:crypto';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Credential } from '../http/credential.ts';
import type { IpAddress } from '../http/ip-address.ts';
import type { WindowLimit } from '../http/window-limit.ts';
import type { Clock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { parseToken } from '../secrets/token.ts';
import { type MessagingRefusal, type MessagingTokenFacts, messagingAccess, type Sender } from './messaging-access.ts';
import type { MessagingFacts } from './messaging-facts.ts';
import { orUnavailable } from './or-unavailable.ts';

/**
 * Who a request is from.
 * @throws Problem with the code of the first of the four checks that fails; `too_many_requests` for wrong tokens beyond
 *   the limit of an address; `service_unavailable`
 */
export type AuthenticateSender = (credential: Credential, address: IpAddress | undefined) => Promise<AdmittedSender>;

export interface AdmittedSender extends Sender {
  /** Up to which changes this was decided on. */
  readonly revision: number;
}

export interface AuthenticateSenderNeeds {
  readonly facts: Pick<MessagingFacts, 'findToken' | 'loadToken'>;
  readonly feed: Pick<ChangeFeed, 'isProven' | 'sync' | 'revision'>;
  /** Shared with the retrieval of certificates. */
  readonly wrongTokens: WindowLimit;
  readonly clock: Clock;
  readonly onRefused?: (code: MessagingRefusal) => void;
}

/** What is in memory may decide for so long after it was last proven true (contract §1, "Revocation is never stale"). */
const provenForMs = 1_000;

export function createAuthenticateSender(needs: AuthenticateSenderNeeds): AuthenticateSender {
  const { facts, feed, wrongTokens, clock, onRefused } = needs;

  async function find(text: string, client: string): Promise<MessagingTokenFacts | undefined> {
    const key = hash('sha256', text, 'hex');
    const known = facts.findToken(key);
    if (known !== undefined) return known;
    // A typing error needs no look-up.
    if (parseToken(text) === undefined) return undefined;
    return orUnavailable(facts.loadToken(key, wrongTokens.isReached(client, clock.monotonic())));
  }

  function refusal(code: MessagingRefusal, isKnown: boolean, client: string): Problem {
    onRefused?.(code);
    if (code === 'invalid_token' && !isKnown) {
      const retryAfterSeconds = wrongTokens.count(client, clock.monotonic());
      if (retryAfterSeconds !== undefined) return new Problem('too_many_requests', { retryAfterSeconds });
    }
    return new Problem(code);
  }

  return async (credential, address) => {
    const client = address?.text ?? 'unknown';
    if (credential.kind === 'token' && !feed.isProven(provenForMs)) await orUnavailable(feed.sync());
    // Before the facts are looked at, which may be newer.
    const revision = feed.revision();
    const known = credential.kind === 'token' ? await find(credential.token.reveal(), client) : undefined;
    const access = messagingAccess(known, credential, address, clock.now());
    if (access.kind === 'refused') throw refusal(access.code, known !== undefined, client);
    return { ...access.sender, revision };
  };
}
