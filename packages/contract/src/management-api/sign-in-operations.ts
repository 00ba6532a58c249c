import Type from 'typebox';
import { operation } from './operation.ts';
import { closed, Id, Name, nullable, Time } from './shared-schemas.ts';

const tag = 'sign-in';
const action = 'public';

/** Checked in full where it is used; here only that nobody sends a book. */
const Password = Type.String({ minLength: 1, maxLength: 1024 });
const Email = Type.String({ minLength: 1, maxLength: 254 });
const Code = Type.String({ minLength: 1, maxLength: 64 });

/** What WebAuthn makes of options and credentials in JSON: its own specification describes it. */
export const WebAuthnJson = Type.Object(
  {},
  {
    $id: 'WebAuthnJson',
    additionalProperties: true,
    description:
      'As `PublicKeyCredential.parse…OptionsFromJSON()` takes it and `toJSON()` gives it (WebAuthn Level 3).',
  },
);

/** A credential: what of it must be there to be looked at at all. */
export const PasskeyCredential = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 2048 }),
    rawId: Type.String({ minLength: 1, maxLength: 2048 }),
    type: Type.Literal('public-key'),
    response: Type.Object({ clientDataJSON: Type.String({ maxLength: 8192 }) }, { additionalProperties: true }),
  },
  {
    $id: 'PasskeyCredential',
    additionalProperties: true,
    description: 'What `PublicKeyCredential.toJSON()` gives (WebAuthn Level 3).',
  },
);

export const SignInStep = Type.Object(
  {
    state: Type.Enum(['signed_in', 'second_factor'], {
      description: 'Signed in by the cookie of this answer, or a second factor is needed within ten minutes.',
    }),
    factors: Type.Array(Type.Enum(['totp', 'passkey', 'recovery_code']), {
      description: 'What the person has as a second factor; empty when signed in.',
    }),
  },
  { $id: 'SignInStep', ...closed },
);

export const showSignInMethods = operation({
  id: 'showSignInMethods',
  method: 'GET',
  path: '/sign-in',
  tag,
  summary: 'Show how people can sign in',
  action,
  answer: {
    status: 200,
    schema: Type.Object(
      { password: Type.Boolean(), passkey: Type.Boolean(), sso: Type.Boolean() },
      { $id: 'SignInMethods', ...closed },
    ),
  },
});

export const signIn = operation({
  id: 'signIn',
  method: 'POST',
  path: '/sign-in',
  tag,
  summary: 'Sign in with mail address and password',
  description:
    'The same answer after the same time for somebody who is unknown, a wrong password and a disabled account. Wrong guesses are limited by account and by address; a browser from which the person has signed in has a budget of its own.',
  action,
  body: Type.Object({ email: Email, password: Password }, { $id: 'PasswordSignIn', ...closed }),
  answer: { status: 200, schema: SignInStep },
  problems: ['wrong_credentials'],
});

export const signInWithCode = operation({
  id: 'signInWithCode',
  method: 'POST',
  path: '/sign-in/code',
  tag,
  summary: 'Give a code as the second factor',
  description: 'Of an authenticator application, or a recovery code. Each is accepted once.',
  action,
  body: Type.Union([Type.Object({ totp: Code }, closed), Type.Object({ recovery_code: Code }, closed)], {
    $id: 'CodeSignIn',
  }),
  answer: { status: 200, schema: SignInStep },
  problems: ['wrong_credentials', 'sign_in_expired'],
});

export const beginPasskeySignIn = operation({
  id: 'beginPasskeySignIn',
  method: 'POST',
  path: '/sign-in/passkey-options',
  tag,
  summary: 'Ask for a passkey',
  description: 'As the second factor where one is waited for, else to sign in by it alone.',
  action,
  answer: { status: 200, schema: WebAuthnJson },
  problems: ['sign_in_expired'],
});

export const signInWithPasskey = operation({
  id: 'signInWithPasskey',
  method: 'POST',
  path: '/sign-in/passkey',
  tag,
  summary: 'Sign in with a passkey',
  action,
  body: Type.Object({ credential: PasskeyCredential }, { $id: 'PasskeySignIn', ...closed }),
  answer: { status: 200, schema: SignInStep },
  problems: ['wrong_credentials', 'sign_in_expired'],
});

export const SsoBeginning = Type.Object(
  { url: Type.String({ format: 'uri', description: 'Where the browser goes next.' }) },
  { $id: 'SsoBeginning', ...closed },
);

export const beginSsoSignIn = operation({
  id: 'beginSsoSignIn',
  method: 'POST',
  path: '/sign-in/sso',
  tag,
  summary: 'Sign in by the identity provider',
  description:
    'The session is fresh from when the person last proved there who they are, as `auth_time` in the ID token says; not at all where it is missing.',
  action,
  answer: { status: 200, schema: SsoBeginning },
  problems: ['sso_refused'],
});

export const finishSsoSignIn = operation({
  id: 'finishSsoSignIn',
  method: 'GET',
  path: '/sign-in/sso/callback',
  tag,
  summary: 'Come back from the identity provider',
  description:
    'For browsers. Leads to the console, where a fragment says what went wrong: `#error=` and a code, `&reason=` where it has several.',
  action,
  query: Type.Object({}, { additionalProperties: Type.String() }),
  answer: { status: 303 },
});

const LinkToken = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: 'What stands behind `#token=`.' });

export const describeLink = operation({
  id: 'describeLink',
  method: 'POST',
  path: '/links/describe',
  tag,
  summary: 'Say what a one-time link is for',
  description: 'It stays good.',
  action,
  body: Type.Object({ token: LinkToken }, { $id: 'LinkQuestion', ...closed }),
  answer: {
    status: 200,
    schema: Type.Object(
      {
        kind: Type.Enum(['activation', 'reset', 'invitation']),
        email: Type.String(),
        organization: nullable(Type.Object({ id: Id, name: Name }, closed)),
        role: nullable(Type.Enum(['viewer', 'developer', 'admin', 'owner'])),
        needs_password: Type.Boolean({
          description: 'Whether using it sets a password; otherwise the person signs in first.',
        }),
        expires_at: Time,
      },
      { $id: 'LinkDescription', ...closed },
    ),
  },
  problems: ['link_expired'],
});

export const acceptLink = operation({
  id: 'acceptLink',
  method: 'POST',
  path: '/links/accept',
  tag,
  summary: 'Use a one-time link',
  description:
    'Where it sets a password, the person is signed in with it. The link of a reset removes the second factors and ends all sessions. Where there is an account already, its person signs in first; to begin to run the instance, within the last five minutes.',
  action,
  body: Type.Object({ token: LinkToken, password: Type.Optional(Password) }, { $id: 'LinkAcceptance', ...closed }),
  answer: {
    status: 200,
    schema: Type.Object({ state: Type.Enum(['signed_in', 'joined']) }, { $id: 'AcceptedLink', ...closed }),
  },
  problems: ['link_expired', 'password_rejected', 'conflict', 'reauthentication_required'],
});

export const signInOperations = [
  showSignInMethods,
  signIn,
  signInWithCode,
  beginPasskeySignIn,
  signInWithPasskey,
  beginSsoSignIn,
  finishSsoSignIn,
  describeLink,
  acceptLink,
] as const;
