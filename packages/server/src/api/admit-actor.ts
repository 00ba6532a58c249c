import type { IncomingMessage } from 'node:http';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import { anyOrganization } from '@waxwing/contract/management-api/shared-schemas.ts';
import { addressOfRequest } from '../http/request/client-address.ts';
import { readCredential } from '../http/request/credential.ts';
import { type AddressSet, countedAddress, type IpAddress } from '../http/request/ip-address.ts';
import { headerLines } from '../http/request/raw-headers.ts';
import type { WindowLimit } from '../http/request/window-limit.ts';
import type { Clock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { type Actor, auditName, type Credentials, cliActorHeader } from './actor.ts';
import { hideOwner } from './hide-owner.ts';
import { checkOrigin } from './origin-check.ts';
import { may } from './roles.ts';
import type { Cookie } from './session-cookie.ts';

export interface Admission {
  /** Undefined for an anonymous caller of a public operation. */
  readonly actor: Actor | undefined;
  readonly credential: SecretText | undefined;
  /** Those of the path; where `-` stood for an organization, and it is a certain one, with its id. */
  readonly params: Readonly<Record<string, string>>;
  readonly address: IpAddress | undefined;
}

/**
 * Decides from a request's head whether it may go on.
 * @param params the path's
 * @param isAgain a second look at the reader of a stream, or at the sender of a body that is now complete. It neither
 *   keeps a session alive nor counts towards a limit.
 * @throws Problem `unauthenticated`, `invalid_token`, `address_not_allowed`, `origin_not_allowed`, `too_many_requests`,
 *   `role_not_permitted`, `reauthentication_required`, `not_found`
 */
export type Admit = (
  request: IncomingMessage,
  operation: Pick<Operation, 'action' | 'fresh' | 'everywhere'>,
  params: Readonly<Record<string, string>>,
  isAgain?: boolean,
) => Promise<Admission>;

export interface OrganizationLookup {
  /** Whether there is such an organization: an operator may ask for any. */
  readonly organizationExists: (id: string) => Promise<boolean>;
  /**
   * By the name of a path parameter, such as `certificate_id`: finds the organization that owns the thing with this id.
   * Null: it belongs to the instance. @throws Problem `not_found`
   */
  readonly ownerOf: Readonly<Record<string, (id: string) => Promise<string | null>>>;
}

interface AdmitNeeds extends OrganizationLookup {
  readonly credentials: Credentials;
  readonly cookie: Cookie;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly trustedProxies: AddressSet;
  /** Called for a forwarded header from a peer that is not a trusted proxy. */
  readonly onUntrustedForward: (peer: string) => void;
  /** Wrong management keys and sessions, by address. */
  readonly wrongTokens: Pick<WindowLimit, 'count'>;
  /** Requests in a minute: by person or key, and by address (of IPv6 by network, since a customer has all of it). */
  readonly byActor: Pick<WindowLimit, 'count'>;
  readonly byAddress: Pick<WindowLimit, 'count'>;
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

  /** Only where an actor is needed: a person who signs in may carry an old cookie. */
  function refuseWrong(given: Given, count: (limit: Limit, name: string) => void, address: string): never {
    count(needs.wrongTokens, address);
    throw new Problem(given.by === 'bearer' ? 'invalid_token' : 'unauthenticated');
  }

  return async (request, operation, params, isAgain = false) => {
    const count = (limit: Limit, name: string) => isAgain || countOne(limit, name, clock);
    const address = addressOfRequest(request, needs.trustedProxies, isAgain ? () => {} : needs.onUntrustedForward);
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
    if (actor === undefined && given.text !== undefined && operation.action !== 'public') {
      refuseWrong(given, count, counted);
    }
    if (actor !== undefined) count(needs.byActor, auditName(actor));
    const placed = await admitTo(operation, actor, params, clock.now(), needs);
    return { actor, credential: given.text, params: placed, address };
  };
}

/** Admits the command line on the machine: who asks has shown by the connection that the data folder is theirs. */
export function createCliAdmit(needs: OrganizationLookup, clock: Clock): Admit {
  return async (request, operation, params) => {
    const [name = ''] = headerLines(request.rawHeaders, cliActorHeader).map(decodeURIComponent);
    if (!/^.{1,100}$/u.test(name)) {
      throw new Problem('invalid_request', { detail: `The header ${cliActorHeader} must name the account that asks.` });
    }
    const actor: Actor = { kind: 'cli', name };
    const placed = await admitTo(operation, actor, params, clock.now(), needs);
    return { actor, credential: undefined, params: placed, address: undefined };
  };
}

/** @returns the parameters of the path, with the organization that is meant */
async function admitTo(
  { action, fresh, everywhere }: Parameters<Admit>[1],
  actor: Actor | undefined,
  params: Admission['params'],
  now: number,
  needs: OrganizationLookup,
): Promise<Admission['params']> {
  const placed = withOwnOrganization(actor, params);
  const { organization_id: organizationId } = placed;
  const verdict = may(actor, { action, organizationId, fresh }, now);
  if (!verdict.allowed) throw new Problem(refusals[verdict.why]);
  if (organizationId === undefined || isMember(actor, organizationId)) return placed;
  if (organizationId === anyOrganization) {
    return everywhere ? placed : { ...placed, organization_id: await findOwner(placed, needs) };
  }
  if (!(await needs.organizationExists(organizationId))) throw new Problem('not_found');
  return placed;
}

function withOwnOrganization(actor: Actor | undefined, params: Admission['params']): Admission['params'] {
  const isMeant = params.organization_id === anyOrganization && actor?.kind === 'key' && actor.organizationId !== '';
  return isMeant ? { ...params, organization_id: actor.organizationId } : params;
}

async function findOwner(params: Admission['params'], { ownerOf }: OrganizationLookup): Promise<string> {
  for (const [name, id] of Object.entries(params)) {
    const owner = await hideOwner(ownerOf[name]?.(id) ?? Promise.resolve(null));
    if (owner !== null) return owner;
  }
  throw new Problem('not_found');
}

const refusals = {
  unauthenticated: 'unauthenticated',
  not_a_member: 'not_found',
  role: 'role_not_permitted',
  fresh: 'reauthentication_required',
} as const;

function isMember(actor: Actor | undefined, organizationId: string): boolean {
  if (actor?.kind === 'account') return actor.memberships.has(organizationId);
  return actor?.kind === 'key' && actor.organizationId === organizationId;
}

type Limit = Pick<WindowLimit, 'count'>;

function countOne(limit: Limit, name: string, clock: Clock): void {
  const retryAfterSeconds = limit.count(name, clock.monotonic());
  if (retryAfterSeconds !== undefined) throw new Problem('too_many_requests', { retryAfterSeconds });
}

/** A management key decides alone, because browsers add cookies by themselves. */
function readGiven(request: IncomingMessage, cookie: Cookie): Given {
  const credential = readCredential(request.rawHeaders, []);
  if (credential.kind === 'token' && credential.source === 'bearer') return { by: 'bearer', text: credential.token };
  if (credential.kind === 'ambiguous') return { by: 'ambiguous' };
  const value = cookie.read(request.rawHeaders);
  return value === undefined ? { by: 'nothing' } : { by: 'cookie', text: new SecretText(value) };
}
