import type { PasskeyCredential } from '@waxwing/contract/management-api/sign-in-operations.ts';
import type { Static } from 'typebox';

type Credential = Static<typeof PasskeyCredential>;

/** Browsers have them over HTTPS and on localhost. */
export function canUsePasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function' &&
    typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'
  );
}

/** Has the browser sign by a passkey. @param options the server's, as WebAuthn writes them in JSON */
export async function askPasskey(options: object): Promise<Credential> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return toJson(await navigator.credentials.get({ publicKey }));
}

/** Has the browser make a passkey. */
export async function makePasskey(options: object): Promise<Credential> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return toJson(await navigator.credentials.create({ publicKey }));
}

function toJson(credential: globalThis.Credential | null): Credential {
  return (credential as PublicKeyCredential).toJSON() as unknown as Credential;
}
