import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { closed, extended, Id, Name, nullable, pageOf, pageQuery, Time } from '../shared-schemas.ts';
import { PasskeyCredential, SsoBeginning, WebAuthnJson } from './sign-in-operations.ts';

const operation = operationsOf('account');

export const Role = Type.Enum(['viewer', 'developer', 'admin', 'owner'], {
  $id: 'Role',
  description: 'Each role has all rights of the one before.',
});

const Password = Type.String({ minLength: 1, maxLength: 1024 });
const Code = Type.String({ minLength: 1, maxLength: 64 });

const RecoveryCodes = {
  recovery_codes: Type.Array(Type.String(), {
    description: 'Shown only in this answer. Empty when the person has unused ones.',
  }),
};

export const Passkey = Type.Object(
  { id: Id, name: Name, created_at: Time, used_at: nullable(Time) },
  { $id: 'Passkey', ...closed },
);
export type Passkey = Type.Static<typeof Passkey>;

export const Session = Type.Object(
  {
    id: Id,
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
    method: Type.Enum(['password', 'passkey', 'sso', 'link']),
    address: Type.String(),
    user_agent: Type.String(),
    created_at: Time,
    seen_at: Time,
    expires_at: Time,
  },
  { $id: 'Session', ...closed },
);
export type Session = Type.Static<typeof Session>;

export const showMe = operation({
  id: 'showMe',
  method: 'GET',
  path: '/me',
  summary: 'Show who is signed in',
  action: 'me.read',
  answer: {
    status: 200,
    schema: Type.Object(
      {
        id: Id,
        email: Type.String(),
        operator: Type.Boolean({ description: 'Whether the person runs the instance.' }),
        organizations: Type.Array(Type.Object({ id: Id, name: Name, role: Role }, closed)),
        session_id: Id,
        fresh_until: { ...Time, description: 'Until when the person need not confirm their identity again.' },
        modules: Type.Array(Type.Enum(['certificates', 'messaging']), {
          description: 'The enabled parts of the service.',
        }),
      },
      { $id: 'Me', ...closed },
    ),
  },
});

export const signOut = operation({
  id: 'signOut',
  method: 'POST',
  path: '/me/sign-out',
  summary: 'Sign out',
  description: 'Ends the session of this request.',
  action: 'me.change',
  answer: { status: 204 },
});

export const changePassword = operation({
  id: 'changePassword',
  method: 'POST',
  path: '/me/password',
  summary: 'Change the password',
  description: 'Ends all other sessions. A person without a password sets the first one in a fresh session.',
  action: 'me.change',
  body: Type.Object(
    { current_password: Type.Optional(Password), new_password: Password },
    { $id: 'PasswordChange', ...closed },
  ),
  answer: { status: 204 },
  problems: ['wrong_credentials', 'password_rejected', 'reauthentication_required'],
});

export const reauthenticate = operation({
  id: 'reauthenticate',
  method: 'POST',
  path: '/me/reauthentication',
  summary: 'Confirm your identity',
  description:
    'By the password or a passkey, or, without a password, by a code of the authenticator app. The session is then fresh for five minutes, and its cookie changes.',
  action: 'me.change',
  body: Type.Union(
    [
      Type.Object({ password: Password }, closed),
      Type.Object({ totp: Code }, closed),
      Type.Object({ credential: PasskeyCredential }, closed),
    ],
    { $id: 'Reauthentication' },
  ),
  answer: { status: 204 },
  problems: ['wrong_credentials', 'conflict'],
});

export const beginPasskeyReauthentication = operation({
  id: 'beginPasskeyReauthentication',
  method: 'POST',
  path: '/me/reauthentication/passkey-options',
  summary: 'Request a passkey challenge to confirm your identity',
  action: 'me.change',
  answer: { status: 200, schema: WebAuthnJson },
});

export const beginSsoReauthentication = operation({
  id: 'beginSsoReauthentication',
  method: 'POST',
  path: '/me/reauthentication/sso',
  summary: 'Confirm your identity at the identity provider',
  description:
    'For a connected account. The provider asks the person to sign in again, and the browser returns with a fresh session and a new cookie. Refused without an `auth_time` of the last five minutes in the ID token.',
  action: 'me.change',
  answer: { status: 200, schema: SsoBeginning },
  problems: ['sso_refused'],
});

export const connectSso = operation({
  id: 'connectSso',
  method: 'POST',
  path: '/me/sso',
  summary: 'Connect the account to the identity provider',
  action: 'me.change',
  answer: { status: 200, schema: SsoBeginning },
  problems: ['sso_refused'],
  fresh: true,
});

export const disconnectSso = operation({
  id: 'disconnectSso',
  method: 'DELETE',
  path: '/me/sso',
  summary: 'Disconnect the account from the identity provider',
  description: 'Also removes the roles that it gave. The last way to sign in cannot be removed.',
  action: 'me.change',
  answer: { status: 204 },
  problems: ['not_found', 'conflict'],
  fresh: true,
});

export const showFactors = operation({
  id: 'showFactors',
  method: 'GET',
  path: '/me/factors',
  summary: 'Show your ways to sign in',
  action: 'me.read',
  answer: {
    status: 200,
    schema: Type.Object(
      {
        password: Type.Boolean(),
        totp: nullable(Type.Object({ created_at: Time }, closed)),
        passkeys: Type.Array(Passkey),
        recovery_codes_left: Type.Integer({ minimum: 0 }),
        sso: nullable(Type.Object({ created_at: Time }, closed), {
          description: 'Since when the account is connected to the identity provider.',
        }),
      },
      { $id: 'Factors', ...closed },
    ),
  },
});

export const enrolTotp = operation({
  id: 'enrolTotp',
  method: 'POST',
  path: '/me/totp',
  summary: 'Begin to add an authenticator app',
  description: 'It takes effect once a first code is confirmed.',
  action: 'me.change',
  answer: {
    status: 201,
    schema: Type.Object(
      {
        secret: Type.String({ description: 'In base32, for typing.' }),
        uri: Type.String({ description: '`otpauth://…`, for a QR code.' }),
      },
      { $id: 'TotpEnrolment', ...closed },
    ),
  },
  problems: ['conflict'],
  secret: true,
  fresh: true,
});

export const confirmTotp = operation({
  id: 'confirmTotp',
  method: 'POST',
  path: '/me/totp/confirm',
  summary: 'Confirm an authenticator app by its first code',
  action: 'me.change',
  body: Type.Object({ code: Code }, { $id: 'TotpConfirmation', ...closed }),
  answer: { status: 200, schema: Type.Object(RecoveryCodes, { $id: 'ConfirmedTotp', ...closed }) },
  problems: ['factor_rejected', 'conflict'],
  secret: true,
});

export const removeTotp = operation({
  id: 'removeTotp',
  method: 'DELETE',
  path: '/me/totp',
  summary: 'Remove the authenticator app',
  action: 'me.change',
  answer: { status: 204 },
  problems: ['not_found'],
  fresh: true,
});

export const beginPasskeyEnrolment = operation({
  id: 'beginPasskeyEnrolment',
  method: 'POST',
  path: '/me/passkeys/options',
  summary: 'Begin to add a passkey',
  action: 'me.change',
  answer: { status: 200, schema: WebAuthnJson },
  problems: ['conflict'],
  fresh: true,
});

export const addPasskey = operation({
  id: 'addPasskey',
  method: 'POST',
  path: '/me/passkeys',
  summary: 'Add a passkey',
  action: 'me.change',
  body: Type.Object({ name: Name, credential: PasskeyCredential }, { $id: 'NewPasskey', ...closed }),
  answer: { status: 201, schema: extended(Passkey, RecoveryCodes, { $id: 'AddedPasskey' }) },
  problems: ['factor_rejected'],
  secret: true,
  fresh: true,
});

export const renamePasskey = operation({
  id: 'renamePasskey',
  method: 'PATCH',
  path: '/me/passkeys/{passkey_id}',
  summary: 'Rename a passkey',
  action: 'me.change',
  body: Type.Object({ name: Name }, { $id: 'PasskeyUpdate', ...closed }),
  answer: { status: 200, schema: Passkey },
});

export const removePasskey = operation({
  id: 'removePasskey',
  method: 'DELETE',
  path: '/me/passkeys/{passkey_id}',
  summary: 'Remove a passkey',
  description: 'The last way to sign in cannot be removed.',
  action: 'me.change',
  answer: { status: 204 },
  problems: ['conflict'],
  fresh: true,
});

export const replaceRecoveryCodes = operation({
  id: 'replaceRecoveryCodes',
  method: 'POST',
  path: '/me/recovery-codes',
  summary: 'Replace all recovery codes by new ones',
  action: 'me.change',
  answer: { status: 201, schema: Type.Object(RecoveryCodes, { $id: 'RecoveryCodes', ...closed }) },
  problems: ['conflict'],
  secret: true,
  fresh: true,
});

export const listSessions = operation({
  id: 'listSessions',
  method: 'GET',
  path: '/me/sessions',
  summary: 'List your sessions',
  description: 'Newest first.',
  action: 'me.read',
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(Session) },
  paged: true,
});

export const endSession = operation({
  id: 'endSession',
  method: 'DELETE',
  path: '/me/sessions/{session_id}',
  summary: 'End a session',
  description: 'Takes effect on the next request, on every server.',
  action: 'me.change',
  answer: { status: 204 },
});

export const endOtherSessions = operation({
  id: 'endOtherSessions',
  method: 'POST',
  path: '/me/sessions/end-others',
  summary: 'End all other sessions',
  action: 'me.change',
  answer: {
    status: 200,
    schema: Type.Object({ ended: Type.Integer({ minimum: 0 }) }, { $id: 'EndedSessions', ...closed }),
  },
});

export const accountOperations = [
  showMe,
  signOut,
  changePassword,
  reauthenticate,
  beginPasskeyReauthentication,
  beginSsoReauthentication,
  connectSso,
  disconnectSso,
  showFactors,
  enrolTotp,
  confirmTotp,
  removeTotp,
  beginPasskeyEnrolment,
  addPasskey,
  renamePasskey,
  removePasskey,
  replaceRecoveryCodes,
  listSessions,
  endSession,
  endOtherSessions,
] as const;
