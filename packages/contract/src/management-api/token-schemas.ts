/** What the operations on deployments, messaging keys and management keys say alike: each holds tokens. */
import Type from 'typebox';
import { AllowList, closed, Name, nullable, Time } from './shared-schemas.ts';

/** The tokens of one holder, by what may be known of them. */
export const HeldTokens = Type.Array(
  Type.Object(
    {
      hint: Type.String({ description: 'Its first characters, by which people tell tokens apart.' }),
      created_at: Time,
      expires_at: nullable(Time),
    },
    { $id: 'HeldToken', ...closed },
  ),
  { description: 'Newest first; the former one until its overlap ends.' },
);

/** @param prefix of the kind, such as `wxd_` */
export function shownOnce(prefix: string) {
  return {
    token: Type.String({ pattern: `^${prefix}[0-9A-Za-z]{53}$`, description: 'The token in clear: shown here, once.' }),
  };
}

/** Until when the tokens before a rotation stay valid. */
export const formerToken = { former_valid_until: Time };

export const TokenRotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 30 * 86_400, default: 86_400, description: 'A day when left out.' }),
    ),
  },
  { $id: 'TokenRotation', ...closed, description: 'How long the tokens before stay valid.' },
);

/** What may be changed of each of them. */
export const holderChange = {
  name: Type.Optional(Name),
  enabled: Type.Optional(Type.Boolean()),
  allow: Type.Optional(AllowList),
  expires_at: Type.Optional(nullable(Time, { description: 'Null: it does not expire.' })),
};

/** Of deployments and messaging keys, whose token may come in the URL and may lose its permission. */
export const permissionChange = {
  permitted: Type.Optional(Type.Boolean()),
  query_token: Type.Optional(Type.Boolean()),
};
