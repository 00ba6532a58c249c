import { countedAddress } from '../../http/request/ip-address.ts';
import { Problem } from '../../runtime/problem.ts';
import { createWorkQueue } from '../../runtime/work-queue.ts';
import type { Guesser } from '../factors/sign-in-limit.ts';
import type { SessionClient } from '../sessions/session-client.ts';

/**
 * Work for people who have proven nothing yet. Little of it is done at once and little waits: each piece writes to the
 * database, where hand-outs of keys wait for the same writer. The rest is refused before anything of it is done.
 */
export interface AnonymousWork {
  /** For anybody. @throws Problem `too_many_requests` */
  forStranger<T>(client: Pick<SessionClient, 'address'>, work: () => Promise<T>): Promise<T>;
  /**
   * For a person whose browser may be familiar. Such people wait for each other alone: a flood of strangers keeps none
   * of them out.
   * @param look finds out who guesses; it only reads
   * @throws Problem `too_many_requests`
   */
  forBrowser<Found extends { readonly guesser: Guesser }, T>(
    client: SessionClient,
    look: () => Promise<Found>,
    work: (found: Found) => Promise<T>,
  ): Promise<T>;
  /**
   * For a caller with a secret of this instance, such as a link or the step after a right password. Its real holder
   * waits beside familiar browsers, and not among strangers.
   * @param look only reads; it throws where the secret is unknown, else tells its kind
   * @throws Problem `too_many_requests`
   */
  forHolder<Found extends { readonly held: string }, T>(
    client: Pick<SessionClient, 'address'>,
    look: () => Promise<Found>,
    work: (found: Found) => Promise<T>,
  ): Promise<T>;
  /**
   * For what the identity provider is asked for, which may take it long: it holds up nothing else.
   * @throws Problem `too_many_requests`
   */
  forProvider<T>(client: Pick<SessionClient, 'address'>, work: () => Promise<T>): Promise<T>;
}

/**
 * At once: a hand-out waits behind so many of them at the writer of SQLite. Passwords are compared two at a time in any case.
 */
const atOnce = 2;
/** Together with the strangers at work that makes 16, whose passwords are compared within a third of a second. */
const strangersWaiting = 14;
const familiarWaiting = 32;
/** Of one address, or one familiar browser, which take turns. */
const shareOfWaiting = 4;
const providerAtOnce = 4;
const providerWaiting = 12;
/** Anybody can send the cookie of a familiar browser, or a step, and only reading tells whether it is one. */
const looksAtOnce = 2;
const looksWaiting = 1_000;

export function createAnonymousWork(): AnonymousWork {
  const inTurn = (concurrency: number, waitingInAll: number) =>
    createWorkQueue<string>({ concurrency, waiting: shareOfWaiting, waitingInAll, refusal: tooMany });
  const strangers = inTurn(atOnce, strangersWaiting);
  const familiar = inTurn(atOnce, familiarWaiting);
  const looks = inTurn(looksAtOnce, looksWaiting);
  const provider = inTurn(providerAtOnce, providerWaiting);

  return {
    forStranger: ({ address }, work) => strangers.run(work, countedAddress(address)),
    async forBrowser(client, look, work) {
      const address = countedAddress(client.address);
      if (client.device === undefined) return strangers.run(async () => work(await look()), address);
      const found = await looks.run(look, address);
      const { guesser } = found;
      return guesser.kind === 'familiar'
        ? familiar.run(() => work(found), guesser.device)
        : strangers.run(() => work(found), address);
    },
    async forHolder({ address }, look, work) {
      const found = await looks.run(look, countedAddress(address));
      return familiar.run(() => work(found), found.held);
    },
    forProvider: ({ address }, work) => provider.run(work, countedAddress(address)),
  };
}

/** No 503: that is a fault of ours, which the log tells of and people are woken up for. */
function tooMany(): Problem {
  return new Problem('too_many_requests', {
    detail: 'Too many people sign in at this moment. Try again in a few seconds.',
    retryAfterSeconds: 2,
  });
}
