import Type from 'typebox';
import { closed, Id, Name, nullable, Time } from './shared-schemas.ts';

export const ChallengeKind = Type.Enum(['http-01', 'tls-alpn-01', 'dns-01'], {
  description: 'How names are proved. A wildcard needs `dns-01`.',
});
export type ChallengeKind = Type.Static<typeof ChallengeKind>;

export const CertificateKeyKind = Type.Enum(['ec256', 'ec384', 'rsa2048', 'rsa3072', 'rsa4096']);

export const Renewal = Type.Object(
  {
    state: Type.Enum(['planned', 'running', 'waiting', 'off'], {
      description:
        '`running`: an order is under way. `waiting`: the latest one failed, and another one follows at `next_at`. `off`: nothing is planned.',
    }),
    next_at: nullable(Time, { description: 'When the next order begins. Null: one is under way, or none is planned.' }),
    window: nullable(Type.Object({ start: Time, end: Time }, closed), {
      description: "The authority's (ARI). Null: it has named none.",
    }),
    last_error: nullable(Type.String(), { description: 'Why the latest order failed. Null: it did not.' }),
    last_error_at: nullable(Time),
    attempts: Type.Integer({ minimum: 0, description: 'Orders in a row that failed.' }),
  },
  { $id: 'Renewal', ...closed },
);

export const IssuingAuthority = Type.Object(
  { id: Id, name: Name },
  {
    $id: 'IssuingAuthority',
    ...closed,
    description: 'The authority that issued the latest version here; until then the one that is asked next.',
  },
);

/** What lists say as well of a certificate that is issued here. Null for one that was imported. */
export const listedIssuanceFields = {
  authority: nullable(IssuingAuthority),
  renewal: nullable(Renewal),
};

export const IssuanceStep = Type.Object(
  {
    step: Type.String({ pattern: '^[a-z]+$', description: '`register`, `place`, `present`, `wait`, `finalize`, …' }),
    state: Type.Enum(['running', 'done', 'failed'], {
      description: '`failed`: this attempt; the step may be tried again.',
    }),
    at: Time,
    domain: nullable(Type.String(), { description: 'Null: of all domains.' }),
    words: nullable(Type.String(), {
      description: 'In case of failure those of the authority or the provider; of a running step what it waits for.',
    }),
  },
  { $id: 'IssuanceStep', ...closed },
);

export const Delegation = Type.Object(
  {
    name: Type.String({ description: 'Where a CNAME record has to be set.' }),
    target: Type.String({ description: 'Where it has to point.' }),
    seen: nullable(Type.Boolean(), {
      description: 'Whether it was there at the last look. Null: the latest order has not looked yet.',
    }),
    looked_at: nullable(Time, { description: 'When the latest order looked for it last.' }),
  },
  { $id: 'Delegation', ...closed },
);

export const IssuanceRequest = Type.Object(
  {
    authorities: Type.Array(Type.String(), { description: 'Their ids, in the order in which they are tried.' }),
    domains: Type.Array(Type.String()),
    challenge: ChallengeKind,
    dns_provider: nullable(Type.String(), { description: 'Its id.' }),
    key: CertificateKeyKind,
    keep_key: Type.Boolean({ description: 'Whether a renewal has the same private key.' }),
    profile: nullable(Type.String()),
  },
  { $id: 'IssuanceRequest', ...closed, description: 'What was asked for.' },
);

/** What is said of a certificate that is issued here. Null and empty for one that was imported. */
export const issuanceFields = {
  current_version: nullable(Type.String(), { description: 'As `version`.' }),
  request: nullable(IssuanceRequest),
  progress: Type.Array(IssuanceStep, { description: 'The steps of the latest order, the one under way included.' }),
  delegation: Type.Array(Delegation, {
    description: 'Of managed delegation: one CNAME for each domain. The order waits until they are there.',
  }),
};
