/** What deployments, messaging keys and management keys have in common: each holds tokens. */
import Type from 'typebox';
import { AllowList, closed, Name, nullable, Time } from './shared-schemas.ts';

/** The facts about a holder's tokens that may be shown. */
export const HeldTokens = Type.Array(
  Type.Object(
    {
      hint: Type.String({ description: 'Its first characters, by which people recognize it.' }),
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
    token: Type.String({ pattern: `^${prefix}[0-9A-Za-z]{53}$`, description: 'The token in clear, shown only here.' }),
  };
}

/** Until when the token before a rotation stays valid. */
export const formerToken = { former_valid_until: Time };

export const TokenRotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 30 * 86_400, default: 86_400, description: 'By default a day.' }),
    ),
  },
  { $id: 'TokenRotation', ...closed, description: 'How long the former tokens stay valid.' },
);

/** The fields of each that may be changed. */
export const holderChange = {
  name: Type.Optional(Name),
  enabled: Type.Optional(Type.Boolean()),
  allow: Type.Optional(AllowList),
  expires_at: Type.Optional(nullable(Time, { description: 'Null: never.' })),
};

/** For deployments and messaging keys: their token may come in the URL and may lose its permission. */
export const permissionChange = {
  permitted: Type.Optional(Type.Boolean()),
  query_token: Type.Optional(Type.Boolean()),
};
