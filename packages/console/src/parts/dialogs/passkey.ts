import type { PasskeyCredential } from '@waxwing/contract/management-api/operations/sign-in-operations.ts';
import type { Static } from 'typebox';

type Credential = Static<typeof PasskeyCredential>;

/** Browsers offer passkeys over HTTPS and on localhost. */
export function canUsePasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function' &&
    typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'
  );
}

/** Asks the browser to sign with a passkey. @param options of the server, as WebAuthn writes them in JSON */
export async function askPasskey(options: object): Promise<Credential> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return toJson(await navigator.credentials.get({ publicKey }));
}

/** Asks the browser to create a passkey. */
export async function makePasskey(options: object): Promise<Credential> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return toJson(await navigator.credentials.create({ publicKey }));
}

/** Whether somebody has closed the browser's own dialog. */
export function isChangeOfMind(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotAllowedError';
}

function toJson(credential: globalThis.Credential | null): Credential {
  return (credential as PublicKeyCredential).toJSON() as unknown as Credential;
}
