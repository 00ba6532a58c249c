import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { closed, Id, Name, nullable, Time } from '../shared-schemas.ts';

const operation = operationsOf('sign-in');
const action = 'public';

/** Passwords are checked in full where they are used. This bound only keeps the input small. */
const Password = Type.String({ minLength: 1, maxLength: 1024 });
const Email = Type.String({ minLength: 1, maxLength: 254 });
const Code = Type.String({ minLength: 1, maxLength: 64 });

/** WebAuthn options and credentials in JSON. Their shape is that of the WebAuthn specification. */
export const WebAuthnJson = Type.Object(
  {},
  {
    $id: 'WebAuthnJson',
    additionalProperties: true,
    description:
      'As `PublicKeyCredential.parse…OptionsFromJSON()` takes it and `toJSON()` gives it (WebAuthn Level 3).',
  },
);

/** The fields that a credential needs before it is examined. */
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
      description: "The person's second factors. Empty when signed in.",
    }),
  },
  { $id: 'SignInStep', ...closed },
);

export const showSignInMethods = operation({
  id: 'showSignInMethods',
  method: 'GET',
  path: '/sign-in',
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
  summary: 'Sign in with email and password',
  description:
    'An unknown person, a wrong password and a disabled account get the same answer after the same time. Wrong guesses are limited by account and by address. A browser in which the person has signed in before has its own limit.',
  action,
  body: Type.Object({ email: Email, password: Password }, { $id: 'PasswordSignIn', ...closed }),
  answer: { status: 200, schema: SignInStep },
  problems: ['wrong_credentials'],
});

export const signInWithCode = operation({
  id: 'signInWithCode',
  method: 'POST',
  path: '/sign-in/code',
  summary: 'Give a code as the second factor',
  description: 'Of an authenticator app, or a recovery code. Each is accepted once.',
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
  summary: 'Request a passkey challenge',
  description: 'As the second factor of a sign-in in progress, or to sign in by a passkey alone.',
  action,
  answer: { status: 200, schema: WebAuthnJson },
  problems: ['sign_in_expired'],
});

export const signInWithPasskey = operation({
  id: 'signInWithPasskey',
  method: 'POST',
  path: '/sign-in/passkey',
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
  summary: 'Sign in by the identity provider',
  description:
    'The session counts as fresh from `auth_time` in the ID token, when the person last confirmed their identity there; without it, not at all.',
  action,
  answer: { status: 200, schema: SsoBeginning },
  problems: ['sso_refused'],
});

export const finishSsoSignIn = operation({
  id: 'finishSsoSignIn',
  method: 'GET',
  path: '/sign-in/sso/callback',
  summary: 'Return from the identity provider',
  description:
    'For browsers. Redirects to the console; after a fault, with the fragment `#error=` and a code, and `&reason=` if it has several.',
  action,
  query: Type.Object({}, { additionalProperties: Type.String() }),
  answer: { status: 303 },
});

const LinkToken = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: 'The value of `#token=`.' });

export const describeLink = operation({
  id: 'describeLink',
  method: 'POST',
  path: '/links/describe',
  summary: 'Show the purpose of a one-time link',
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
          description: 'Whether it sets a password. Otherwise the person signs in first.',
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
  summary: 'Use a one-time link',
  description:
    'A link that sets a password signs the person in. The link of a reset removes the second factors and ends all sessions. With an existing account, the person signs in first; to become operator, within the last five minutes.',
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
