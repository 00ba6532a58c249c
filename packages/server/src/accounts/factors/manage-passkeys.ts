import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/account-operations.ts';
import type { ReasonOf } from '@waxwing/contract/management-api/problem-reasons.ts';
import type { Ground } from '../../audit/ground.ts';
import { type Db, isUniqueViolation } from '../../database/database.ts';
import type { ChallengeRow, PasskeyRow } from '../../database/schema/account-tables.ts';
import { checkName } from '../../organizations/organization.ts';
import { newId, toRfc3339 } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import { ofAccount } from '../sessions/sessions.ts';
import { lockAccount } from '../store/account-store.ts';
import { insertChallenge, takeChallenge } from '../store/challenge-store.ts';
import {
  advancePasskey,
  deletePasskeys,
  findPasskeyByCredential,
  insertPasskey,
  listPasskeys,
  renamePasskey,
} from '../store/factor-store.ts';
import { hashOfSecretValue, newSecretValue } from '../store/secret-value.ts';
import type { RecoveryCodes } from './manage-recovery-codes.ts';
import { requireSignInMethod } from './sign-in-methods.ts';

/** A passkey as its owner sees it. */
export type Passkey = Shown<contract.Passkey>;

/** What an assertion is asked for; each question has its own answer. */
export type PasskeyPurpose = Extract<
  ChallengeRow['kind'],
  'passkey-sign-in' | 'passkey-second-factor' | 'passkey-fresh'
>;

/** Passkeys (WebAuthn Level 3), by which a person signs in alone, or as a second factor. */
export interface Passkeys {
  /** @throws Problem `conflict` when the base URL has an address instead of a name, or there are too many */
  enrolmentOptions(accountId: string, email: string): Promise<PublicKeyCredentialCreationOptionsJSON>;
  /**
   * @returns the passkey; and new recovery codes when the person has no unused ones, shown here and never again
   * @throws Problem `factor_rejected`
   */
  enrol(
    accountId: string,
    response: RegistrationResponseJSON,
    name: string,
  ): Promise<{ passkey: Passkey; recoveryCodes: readonly SecretText[] }>;
  /** @param accountId undefined: whoever has a passkey for this site */
  assertionOptions(
    purpose: PasskeyPurpose,
    accountId: string | undefined,
  ): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /**
   * Checks an assertion and uses its challenge up in any case.
   * @returns the owner of the passkey, and a function that records its use in the caller's transaction
   * @throws Problem `wrong_credentials` for every fault
   */
  verify(
    purpose: PasskeyPurpose,
    accountId: string | undefined,
    response: AuthenticationResponseJSON,
  ): Promise<Asserted>;
  list(accountId: string): Promise<Passkey[]>;
  rename(accountId: string, id: string, name: string): Promise<Passkey>;
  /** @throws Problem `not_found`, `conflict` for the last way in */
  remove(accountId: string, id: string): Promise<void>;
}

export interface Asserted {
  readonly accountId: string;
  /** @throws Problem `wrong_credentials` when the counter has moved since it was checked */
  record(trx: Db): Promise<void>;
}

export interface PasskeysNeeds extends Pick<Ground, 'database' | 'audit' | 'clock'> {
  readonly recoveryCodes: Pick<RecoveryCodes, 'issueFirst' | 'removeUnneeded'>;
  readonly baseUrl: string;
  readonly serviceName: string;
  /** Whether an identity provider is configured. */
  readonly hasProvider: boolean;
}

const challengeMs = 5 * 60_000;
const passkeysAtMost = 20;

export function createPasskeys(needs: PasskeysNeeds): Passkeys {
  const { database, audit, clock, recoveryCodes, baseUrl, serviceName, hasProvider } = needs;
  const url = new URL(baseUrl);
  const site = { expectedOrigin: url.origin, expectedRPID: url.hostname };

  async function ask(kind: ChallengeRow['kind'], accountId: string | undefined): Promise<Uint8Array<ArrayBuffer>> {
    const at = clock.now();
    // The row is found by the challenge, because the challenge comes back.
    const challenge = newSecretValue();
    await insertChallenge(database.db, {
      hash: challenge.hash,
      kind,
      account_id: accountId ?? null,
      facts: '{}',
      created_at: at,
      expires_at: at + challengeMs,
    });
    return Uint8Array.from(Buffer.from(challenge.clear.reveal(), 'base64url'));
  }

  /** Uses the challenge up. @returns whether it was made for this purpose and this account, and had not been used yet */
  async function useChallenge(kind: ChallengeRow['kind'], accountId: string | undefined, challenge: string) {
    const hash = hashOfSecretValue(challenge);
    const row = hash === undefined ? undefined : await takeChallenge(database.db, kind, hash, clock.now());
    return row !== undefined && row.account_id === (accountId ?? null);
  }

  return {
    async enrolmentOptions(accountId, email) {
      if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) {
        throw new Problem('conflict', {
          reason: 'passkeys_need_name',
          parameters: { host: url.hostname },
          detail: `Passkeys need a name in WAXWING_BASE_URL, not the address ${url.hostname}: browsers refuse it.`,
        });
      }
      const present = await listPasskeys(database.db, accountId);
      if (present.length >= passkeysAtMost) {
        throw new Problem('conflict', {
          reason: 'too_many_passkeys',
          parameters: { most: passkeysAtMost },
          detail: `At most ${passkeysAtMost} passkeys. Remove one first.`,
        });
      }
      const { generateRegistrationOptions } = await loadWebAuthn();
      return generateRegistrationOptions({
        rpName: serviceName,
        rpID: url.hostname,
        userName: email,
        userID: Uint8Array.from(Buffer.from(accountId)),
        challenge: await ask('passkey-enrolment', accountId),
        timeout: challengeMs,
        excludeCredentials: present.map(toDescriptor),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
    },

    async enrol(accountId, response, name) {
      const checked = checkName('name', name);
      const credential = await registered(response, site, (challenge) =>
        useChallenge('passkey-enrolment', accountId, challenge),
      );
      const at = clock.now();
      const row: PasskeyRow = {
        id: newId(at),
        account_id: accountId,
        credential_id: credential.id,
        public_key: Buffer.from(credential.publicKey),
        counter: credential.counter,
        transports: JSON.stringify(credential.transports ?? []),
        name: checked,
        created_at: at,
        used_at: null,
      };
      try {
        return await database.transaction(async (trx) => {
          await insertPasskey(trx, row);
          const codes = await recoveryCodes.issueFirst(trx, accountId);
          await audit.record(trx, [ofAccount(accountId, 'passkey.add', at, { passkey: row.id, name: checked })]);
          return { passkey: toPasskey(row), recoveryCodes: codes };
        });
      } catch (error) {
        throw isUniqueViolation(error) ? rejected('passkey_in_use', 'This passkey is in use already.') : error;
      }
    },

    async assertionOptions(purpose, accountId) {
      const own = accountId === undefined ? undefined : await listPasskeys(database.db, accountId);
      const { generateAuthenticationOptions } = await loadWebAuthn();
      return generateAuthenticationOptions({
        rpID: url.hostname,
        challenge: await ask(purpose, accountId),
        timeout: challengeMs,
        // After a password the touch of a key is enough; alone a passkey must know its person.
        userVerification: purpose === 'passkey-second-factor' ? 'preferred' : 'required',
        ...(own === undefined ? {} : { allowCredentials: own.map(toDescriptor) }),
      });
    },

    async verify(purpose, accountId, response) {
      const row = await findPasskeyByCredential(database.db, String(response.id));
      // Also for a passkey that is not known: its challenge is answered.
      const isAsked = await useChallenge(purpose, accountId, challengeOf(response));
      if (row === undefined || !isAsked || (accountId !== undefined && row.account_id !== accountId)) throw wrong();
      const counter = await assertedCounter(response, row, site, purpose !== 'passkey-second-factor');
      return {
        accountId: row.account_id,
        async record(trx) {
          if (!(await advancePasskey(trx, row, counter, clock.now()))) throw wrong();
        },
      };
    },

    list: async (accountId) => (await listPasskeys(database.db, accountId)).map(toPasskey),

    async rename(accountId, id, name) {
      const checked = checkName('name', name);
      return database.transaction(async (trx) => {
        const row = (await renamePasskey(trx, accountId, id, checked)) ?? absent(id);
        await audit.record(trx, [ofAccount(accountId, 'passkey.rename', clock.now(), { passkey: id, name: checked })]);
        return toPasskey(row);
      });
    },

    async remove(accountId, id) {
      await database.transaction(async (trx) => {
        await lockAccount(trx, database, accountId);
        const [name] = await deletePasskeys(trx, accountId, id);
        if (name === undefined) absent(id);
        await requireSignInMethod(trx, accountId, hasProvider);
        await recoveryCodes.removeUnneeded(trx, accountId);
        await audit.record(trx, [ofAccount(accountId, 'passkey.remove', clock.now(), { passkey: id, name })]);
      });
    },
  };
}

/** With the first passkey: it takes 0.15 s and 12 MiB, and many instances never need it. */
const loadWebAuthn = () => import('@simplewebauthn/server');
const loadWebAuthnHelpers = () => import('@simplewebauthn/server/helpers');

interface Site {
  readonly expectedOrigin: string;
  readonly expectedRPID: string;
}

async function registered(
  response: RegistrationResponseJSON,
  site: Site,
  expectedChallenge: (challenge: string) => Promise<boolean>,
) {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const verify = async () => {
    const unattested = await withoutAttestation(response);
    return verifyRegistrationResponse({ response: unattested, ...site, expectedChallenge });
  };
  const verified = await verify().catch((error: unknown) => {
    throw rejected('passkey_not_proven', 'The passkey did not prove itself. Begin again.', error);
  });
  if (!verified.verified) throw rejected('passkey_not_proven', 'The passkey did not prove itself. Begin again.');
  return verified.registrationInfo.credential;
}

/**
 * The response without the attestation, which describes the make of the authenticator. We ask for none, and browsers
 * leave it out. The library would verify one all the same: a chain of any length in time that grows with its square, up
 * to roots that it brings along, and then fetch the revocation lists that the chain names (WebAuthn Level 3,
 * attestation conveyance `none`).
 * @throws when it cannot be read
 */
async function withoutAttestation(response: RegistrationResponseJSON): Promise<RegistrationResponseJSON> {
  const { decodeAttestationObject, isoCBOR, isoBase64URL } = await loadWebAuthnHelpers();
  const attested = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
  const none = isoCBOR.encode(
    new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', attested.get('authData')],
    ]),
  );
  return { ...response, response: { ...response.response, attestationObject: isoBase64URL.fromBuffer(none) } };
}

/** The authenticator's counter after this assertion; it must have grown, unless the authenticator has none. */
async function assertedCounter(
  response: AuthenticationResponseJSON,
  row: PasskeyRow,
  site: Site,
  requireUserVerification: boolean,
): Promise<number> {
  const credential = {
    id: row.credential_id,
    publicKey: Uint8Array.from(row.public_key),
    counter: row.counter,
  };
  const checks = { response, ...site, credential, requireUserVerification, expectedChallenge: challengeOf(response) };
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const result = await verifyAuthenticationResponse(checks).catch((error: unknown) => {
    throw wrong(error);
  });
  if (!result.verified) throw wrong();
  return result.authenticationInfo.newCounter;
}

/** What the browser says it answers; empty when that cannot be read. */
function challengeOf(response: AuthenticationResponseJSON): string {
  try {
    const text = Buffer.from(response.response.clientDataJSON, 'base64url').toString();
    const { challenge } = JSON.parse(text) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

function toDescriptor(row: PasskeyRow) {
  return { id: row.credential_id, transports: JSON.parse(row.transports) as string[] };
}

function toPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    name: row.name,
    created_at: toRfc3339(row.created_at),
    used_at: row.used_at === null ? null : toRfc3339(row.used_at),
  };
}

function wrong(cause?: unknown): Problem {
  return new Problem('wrong_credentials', { detail: 'The passkey was not accepted.', cause });
}

function rejected(reason: ReasonOf<'factor_rejected'>, detail: string, cause?: unknown): Problem {
  return new Problem('factor_rejected', { reason, detail, cause });
}

function absent(id: string): never {
  throw new Problem('not_found', { field: 'passkey', detail: `There is no passkey ${id}.` });
}
