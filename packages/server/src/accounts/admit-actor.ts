import type { IncomingMessage } from 'node:http';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import { clientAddress } from '../http/client-address.ts';
import { readCredential } from '../http/credential.ts';
import { type AddressSet, countedAddress, type IpAddress } from '../http/ip-address.ts';
import { checkOrigin } from '../http/origin-check.ts';
import { headerLines } from '../http/raw-headers.ts';
import type { SessionCookie } from '../http/session-cookie.ts';
import type { WindowLimit } from '../http/window-limit.ts';
import type { Clock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { type Actor, auditName, type Credentials } from './actor.ts';
import { may } from './roles.ts';

/** A request that may go on. */
export interface Admission {
  /** Undefined for nobody, at what is public. */
  readonly actor: Actor | undefined;
  readonly credential: SecretText | undefined;
  readonly address: IpAddress | undefined;
}

/**
 * Decides whether a request may go on, from its head alone.
 * @param params those of the path
 * @param isAgain the reader of a stream is asked for again, or the sender of a body that is now complete. That is no use
 *   of a session, or an open page would keep one alive; and it counts towards no limit, or whoever floods us would keep a
 *   stream that has to end, and a change would count twice.
 * @throws Problem `unauthenticated`, `invalid_token`, `address_not_allowed`, `origin_not_allowed`, `too_many_requests`,
 *   `role_not_permitted`, `reauthentication_required`, `not_found`
 */
export type Admit = (
  request: IncomingMessage,
  operation: Pick<Operation, 'action' | 'fresh'>,
  params: Readonly<Record<string, string>>,
  isAgain?: boolean,
) => Promise<Admission>;

export interface AdmitNeeds {
  readonly credentials: Credentials;
  readonly cookie: SessionCookie;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly trustedProxies: AddressSet;
  /** Hears of a forwarded header that nobody is trusted to send. */
  readonly onUntrustedForward: (peer: string) => void;
  /** Wrong management keys and sessions, by address. */
  readonly wrongTokens: Pick<WindowLimit, 'count'>;
  /** Requests in a minute, by person or key, and by address (of IPv6 by network: one customer has all of it). */
  readonly byActor: Pick<WindowLimit, 'count'>;
  readonly byAddress: Pick<WindowLimit, 'count'>;
  /** Whether there is such an organization: an operator may ask for any. */
  readonly organizationExists: (id: string) => Promise<boolean>;
}

type Given =
  | { readonly by: 'bearer' | 'cookie'; readonly text: SecretText }
  | { readonly by: 'nothing'; readonly text?: undefined }
  | { readonly by: 'ambiguous'; readonly text?: undefined };

export function createAdmit(needs: AdmitNeeds): Admit {
  const { credentials, clock } = needs;

  async function identify(given: Given, address: IpAddress | undefined, isUse: boolean): Promise<Actor | undefined> {
    switch (given.by) {
      case 'bearer':
        return credentials.findManagementKey(given.text.reveal(), address);
      case 'cookie':
        return credentials.findSession(given.text.reveal(), isUse);
      case 'ambiguous':
        throw new Problem('invalid_token');
      case 'nothing':
        return undefined;
    }
  }

  /** A credential that is given and wrong is an error where one is needed; who signs in may carry an old cookie. */
  function refuseWrong(given: Given, count: (limit: Limit, name: string) => void, address: string): never {
    count(needs.wrongTokens, address);
    throw new Problem(given.by === 'bearer' ? 'invalid_token' : 'unauthenticated');
  }

  return async (request, { action, fresh }, params, isAgain = false) => {
    const count = (limit: Limit, name: string) => isAgain || countOne(limit, name, clock);
    const address = readAddress(request, needs, isAgain);
    const counted = countedAddress(address);
    count(needs.byAddress, counted);
    const given = readGiven(request, needs.cookie);
    const { origin, 'sec-fetch-site': fetchSite } = request.headers;
    if (given.by !== 'bearer') {
      checkOrigin(
        { method: request.method ?? '', origin, fetchSite: [fetchSite].flat()[0], byCookie: given.by === 'cookie' },
        needs.baseUrl,
      );
    }
    const actor = await identify(given, address, !isAgain);
    if (actor === undefined && given.text !== undefined && action !== 'public') {
      refuseWrong(given, count, counted);
    }
    if (actor !== undefined) count(needs.byActor, auditName(actor));
    const { organization_id: organizationId } = params;
    const verdict = may(actor, { action, organizationId, fresh }, clock.now());
    if (!verdict.allowed) throw new Problem(refusals[verdict.why]);
    if (organizationId !== undefined && !isMember(actor, organizationId)) {
      if (!(await needs.organizationExists(organizationId))) throw new Problem('not_found');
    }
    return { actor, credential: given.text, address };
  };
}

const refusals = {
  unauthenticated: 'unauthenticated',
  not_a_member: 'not_found',
  role: 'role_not_permitted',
  fresh: 'reauthentication_required',
} as const;

function isMember(actor: Actor | undefined, organizationId: string): boolean {
  if (actor?.kind === 'account') return actor.memberships.has(organizationId);
  return actor?.organizationId === organizationId;
}

type Limit = Pick<WindowLimit, 'count'>;

function countOne(limit: Limit, name: string, clock: Clock): void {
  const retryAfterSeconds = limit.count(name, clock.monotonic());
  if (retryAfterSeconds !== undefined) throw new Problem('too_many_requests', { retryAfterSeconds });
}

/** A management key decides alone where one is given: a cookie comes by itself. */
function readGiven(request: IncomingMessage, cookie: SessionCookie): Given {
  const credential = readCredential(request.rawHeaders, []);
  if (credential.kind === 'token' && credential.source === 'bearer') return { by: 'bearer', text: credential.token };
  if (credential.kind === 'ambiguous') return { by: 'ambiguous' };
  const value = cookie.read(request.rawHeaders);
  return value === undefined ? { by: 'nothing' } : { by: 'cookie', text: new SecretText(value) };
}

function readAddress(request: IncomingMessage, needs: AdmitNeeds, isAgain: boolean): IpAddress | undefined {
  const peer = request.socket.remoteAddress;
  const forwardedFor = headerLines(request.rawHeaders, 'x-forwarded-for');
  if (forwardedFor.length > 0 && needs.trustedProxies.isEmpty && !isAgain) needs.onUntrustedForward(peer ?? '');
  return clientAddress({ peer, forwardedFor }, needs.trustedProxies);
}
