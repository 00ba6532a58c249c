import { hash } from 'node:crypto';
import type { ChangeFeed } from '../../database/change-feed.ts';
import type { FactMemory } from '../../database/fact-memory.ts';
import type { Credential } from '../../http/request/credential.ts';
import type { IpAddress } from '../../http/request/ip-address.ts';
import type { WindowLimit } from '../../http/request/window-limit.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { orUnavailable } from '../../runtime/unavailable.ts';
import { parseToken } from '../../secrets/token.ts';
import { type MessagingRefusal, type MessagingTokenFacts, messagingAccess, type Sender } from './messaging-access.ts';

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
  readonly facts: { readonly tokens: Pick<FactMemory<MessagingTokenFacts>, 'find' | 'load' | 'prove'> };
  readonly feed: Pick<ChangeFeed, 'revision'>;
  /** Shared with the retrieval of certificates. */
  readonly wrongTokens: WindowLimit;
  readonly clock: Clock;
  readonly onRefused?: (code: MessagingRefusal) => void;
}

export function createAuthenticateSender(needs: AuthenticateSenderNeeds): AuthenticateSender {
  const { feed, wrongTokens, clock, onRefused } = needs;
  const { tokens } = needs.facts;

  async function find(text: string, client: string): Promise<MessagingTokenFacts | undefined> {
    const key = hash('sha256', text, 'hex');
    const known = tokens.find(key);
    if (known !== undefined) return known;
    // A typing error needs no look-up.
    if (parseToken(text) === undefined) return undefined;
    return orUnavailable(tokens.load(key, wrongTokens.isReached(client, clock.monotonic())));
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
    if (credential.kind === 'token') await orUnavailable(tokens.prove());
    // Before the facts are looked at, which may be newer.
    const revision = feed.revision();
    const known = credential.kind === 'token' ? await find(credential.token.reveal(), client) : undefined;
    const access = messagingAccess(known, credential, address, clock.now());
    if (access.kind === 'refused') throw refusal(access.code, known !== undefined, client);
    return { ...access.sender, revision };
  };
}
