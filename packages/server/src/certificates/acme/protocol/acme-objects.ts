import Type, { type Static } from 'typebox';
import type { AcmeAuthorization, AcmeDirectory, AcmeIdentifier, AcmeOrder } from './acme-port.ts';
import { failureOfProblem, ProblemDocument } from './acme-problem.ts';

/** What authorities send (RFC 8555 §7.1, RFC 9773 §4.2), as far as it is read. Unknown fields are passed over. */

const Identifier = Type.Object({ type: Type.Enum(['dns', 'ip']), value: Type.String() });

export const DirectoryObject = Type.Object({
  newNonce: Type.String(),
  newAccount: Type.String(),
  newOrder: Type.String(),
  revokeCert: Type.String(),
  keyChange: Type.String(),
  renewalInfo: Type.Optional(Type.String()),
  meta: Type.Optional(
    Type.Object({
      termsOfService: Type.Optional(Type.String()),
      externalAccountRequired: Type.Optional(Type.Boolean()),
      profiles: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
});
export type DirectoryObject = Static<typeof DirectoryObject>;

export const AccountObject = Type.Object({ status: Type.String(), orders: Type.Optional(Type.String()) });

export const OrderObject = Type.Object({
  status: Type.Enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  identifiers: Type.Array(Identifier),
  expires: Type.Optional(Type.String()),
  authorizations: Type.Array(Type.String()),
  finalize: Type.String(),
  certificate: Type.Optional(Type.String()),
  error: Type.Optional(ProblemDocument),
});

export const AuthorizationObject = Type.Object({
  status: Type.Enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  identifier: Identifier,
  wildcard: Type.Optional(Type.Boolean()),
  challenges: Type.Array(
    Type.Object({
      type: Type.String(),
      url: Type.String(),
      // Challenges of kinds that we do not know may have none.
      token: Type.Optional(Type.String()),
      status: Type.Enum(['pending', 'processing', 'valid', 'invalid']),
      error: Type.Optional(ProblemDocument),
    }),
  ),
});

const orderUrls = Type.Array(Type.String());
/** step-ca, and Caddy with it, answer with the URLs alone. */
export const OrderList = Type.Union([Type.Object({ orders: orderUrls }), orderUrls]);

export const RenewalInfoObject = Type.Object({
  suggestedWindow: Type.Object({ start: Type.String(), end: Type.String() }),
  explanationURL: Type.Optional(Type.String()),
});

export function directoryOf({ meta, renewalInfo }: DirectoryObject): AcmeDirectory {
  return {
    hasRenewalInfo: renewalInfo !== undefined,
    needsExternalAccount: meta?.externalAccountRequired ?? false,
    profiles: Object.keys(meta?.profiles ?? {}),
    termsOfService: meta?.termsOfService ?? null,
  };
}

export function orderOf(order: Static<typeof OrderObject>): AcmeOrder {
  const expires = Date.parse(order.expires ?? '');
  return {
    status: order.status,
    identifiers: order.identifiers.map(identifierOf),
    expires: Number.isNaN(expires) ? null : expires,
    authorizations: order.authorizations,
    finalize: order.finalize,
    certificate: order.certificate ?? null,
    error: order.error === undefined ? null : failureOfProblem(order.error),
  };
}

export function authorizationOf(object: Static<typeof AuthorizationObject>): AcmeAuthorization {
  return {
    status: object.status,
    identifier: identifierOf(object.identifier),
    wildcard: object.wildcard ?? false,
    challenges: object.challenges.map(({ error, token, ...challenge }) => ({
      ...challenge,
      token: token ?? '',
      error: error === undefined ? null : failureOfProblem(error),
    })),
  };
}

function identifierOf({ type, value }: Static<typeof Identifier>): AcmeIdentifier {
  return { type, value: value.toLowerCase() };
}
