import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import * as operations from '@waxwing/contract/management-api/operations/account-operations.ts';
import type { AccountActor, Actor } from '../api/actor.ts';
import { hideOwner } from '../api/hide-owner.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import type { People } from './compose-accounts.ts';
import type { FreshProof } from './own-account.ts';
import { signInCookies } from './sign-in/sign-in-cookies.ts';
import { beginSso, credentialBytes, setCookies } from './sign-in/sign-in-routes.ts';

export interface AccountRoutesNeeds {
  readonly people: People;
  readonly baseUrl: string;
  /** How long a session lasts at most: the browser keeps its cookie no longer. */
  readonly sessionMs: number;
  /** Which halves of the service are switched on. */
  readonly modules: readonly ('certificates' | 'messaging')[];
}

interface ByActor {
  readonly actor: Actor;
}

interface NamedPasskey extends ByActor {
  readonly params: { readonly passkey_id: string };
}

/** What people do about themselves (contract: account-operations). */
export function accountRoutes({ people, baseUrl, sessionMs, modules }: AccountRoutesNeeds): readonly Binding[] {
  const { ownAccounts, sessions, totp, passkeys, recoveryCodes, sso } = people;
  const cookies = signInCookies(baseUrl);
  const give = (call: { addHeader(name: string, value: string): void }, cookie: SecretText): undefined => {
    setCookies(call, [cookies.session.give(cookie.reveal(), sessionMs / 1000)]);
    return undefined;
  };

  return [
    bind(operations.showMe, async ({ actor }) => ({ ...(await ownAccounts.show(person(actor))), modules })),

    bind(operations.signOut, async (call) => {
      const actor = person(call.actor);
      await sessions.end(actor, actor.sessionId);
      setCookies(call, [cookies.session.take()]);
      return undefined;
    }),

    bind(operations.changePassword, async (call) => {
      const { current_password: current, new_password: next } = call.body;
      return give(call, await ownAccounts.changePassword(person(call.actor), current, next));
    }),

    bind(
      operations.reauthenticate,
      async (call) => {
        const { body } = call;
        const proof: FreshProof =
          'credential' in body ? { passkey: body.credential as unknown as AuthenticationResponseJSON } : body;
        return give(call, await ownAccounts.reauthenticate(person(call.actor), proof));
      },
      { bodyBytes: credentialBytes },
    ),

    bind(operations.beginPasskeyReauthentication, async ({ actor }) => ({
      ...(await ownAccounts.passkeyOptions(person(actor))),
    })),

    bind(operations.beginSsoReauthentication, (call) =>
      beginSso(sso, { kind: 'prove', actor: person(call.actor) }, call, cookies),
    ),

    bind(operations.connectSso, (call) => beginSso(sso, { kind: 'connect', actor: person(call.actor) }, call, cookies)),

    bind(operations.disconnectSso, async ({ actor }) => {
      await ownAccounts.disconnectSso(person(actor));
      return undefined;
    }),

    bind(operations.showFactors, ({ actor }) => ownAccounts.factors(person(actor))),

    bind(operations.enrolTotp, async ({ actor }) => {
      const { email } = await ownAccounts.show(person(actor));
      const { secret, uri } = await totp.enrol(person(actor).accountId, email);
      return { secret: secret.reveal(), uri: uri.reveal() };
    }),

    bind(operations.confirmTotp, async ({ actor, body }) => {
      const { accountId, sessionId } = person(actor);
      return { recovery_codes: shown(await totp.confirm(accountId, sessionId, body.code)) };
    }),

    bind(operations.removeTotp, async ({ actor }) => {
      await totp.remove(person(actor).accountId);
      return undefined;
    }),

    bind(operations.beginPasskeyEnrolment, async ({ actor }) => {
      const { id, email } = await ownAccounts.show(person(actor));
      return { ...(await passkeys.enrolmentOptions(id, email)) };
    }),

    bind(
      operations.addPasskey,
      async ({ actor, body }) => {
        const credential = body.credential as unknown as RegistrationResponseJSON;
        const added = await passkeys.enrol(person(actor).accountId, credential, body.name);
        return { ...added.passkey, recovery_codes: shown(added.recoveryCodes) };
      },
      { bodyBytes: credentialBytes },
    ),

    bind(operations.renamePasskey, ({ actor, params, body }) =>
      hideOwner(passkeys.rename(person(actor).accountId, params.passkey_id, body.name)),
    ),

    bind(operations.removePasskey, async ({ actor, params }: NamedPasskey) => {
      await hideOwner(passkeys.remove(person(actor).accountId, params.passkey_id));
      return undefined;
    }),

    bind(operations.replaceRecoveryCodes, async ({ actor }) => ({
      recovery_codes: shown(await recoveryCodes.replace(person(actor).accountId)),
    })),

    bind(operations.listSessions, async ({ actor, page }) => {
      const rows = await sessions.list(person(actor), { before: page.after, limit: page.take });
      return page.of(rows, ({ id }) => id);
    }),

    bind(operations.endSession, async ({ actor, params }) => {
      await hideOwner(sessions.end(person(actor), params.session_id));
      return undefined;
    }),

    bind(operations.endOtherSessions, async ({ actor }) => ({ ended: await sessions.endOthers(person(actor)) })),
  ];
}

/** The table of roles lets nobody else come here. */
function person(actor: Actor): AccountActor {
  if (actor.kind === 'account') return actor;
  throw new Problem('role_not_permitted');
}

function shown(codes: readonly SecretText[]): string[] {
  return codes.map((code) => code.reveal());
}
