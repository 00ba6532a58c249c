/** Why an operation is refused: stable reasons and parameter names. The server has the sentences. */
import type { ParametersNamed } from './shared-schemas.ts';

export const problemReasons = {
  conflict: {
    // People and how they sign in.
    last_owner: [],
    last_way_in: [],
    own_account: [],
    already_member: ['email'],
    already_operator: ['email'],
    account_disabled: ['email'],
    account_exists: ['email'],
    account_made_meanwhile: [],
    password_or_passkey_needed: [],
    no_second_factor: [],
    totp_present: [],
    totp_not_begun: [],
    passkeys_need_name: ['host'],
    too_many_passkeys: ['most'],
    // Organizations.
    name_taken: ['name'],
    organization_suspended: [],
    organization_not_empty: ['left'],
    // Certificates.
    not_issued: [],
    nothing_to_hand_out: [],
    certificate_revoked: [],
    version_revoked: [],
    certificate_not_issued: [],
    version_not_issued: [],
    version_current: [],
    version_replaced: [],
    chain_complete: [],
    certificate_deployed: ['count'],
    // Issuing.
    authority_name_taken: ['name'],
    authority_in_use: ['count', 'names'],
    dns_provider_in_use: ['count', 'names'],
    dns_provider_removing: ['count'],
    too_many_dns_providers: ['most'],
    not_requested: [],
    request_revoked: [],
    revocation_untold: ['authority', 'until', 'error'],
    ordered_too_often: ['most', 'until'],
    several_match: ['name'],
    // Messages and pushes.
    already_routed: [],
    carrier_name_taken: ['name'],
    carrier_has_routes: ['count'],
    too_many_carriers: ['most'],
    too_many_words: ['most'],
    push_waiting: [],
    pushes_off: [],
    too_many_resends: ['most'],
    too_many_secrets: ['most', 'until'],
    no_url: [],
    url_not_accepted: [],
    setting_made_meanwhile: [],
    // Alerts.
    too_many_alert_channels: ['most'],
    // The instance.
    verification_under_way: [],
    doctor_under_way: [],
  },
  certificate_exists: {
    same_names: ['id', 'name'],
    more_names: ['id', 'name'],
    fewer_names: ['id', 'name'],
  },
  names_lost: {
    deployed: ['count', 'name', 'names'],
  },
  password_rejected: {
    missing: [],
    too_short: ['least'],
    too_long: ['most'],
    not_text: [],
    common: [],
    context: [],
    repetitive: [],
  },
  factor_rejected: {
    wrong_code: [],
    passkey_not_proven: [],
    passkey_in_use: [],
  },
  sso_refused: {
    no_identity_provider: [],
    not_vouched: [],
    email_not_verified: [],
    domain_not_allowed: [],
    account_not_connected: [],
    no_role: [],
    not_proven_anew: [],
    another_account: [],
  },
  origin_not_allowed: {
    foreign_origin: ['base_url'],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

type CodeWithReasons = keyof typeof problemReasons;

export type ReasonOf<Code extends CodeWithReasons> = keyof (typeof problemReasons)[Code];

/** The parameters of a reason's sentence. */
export type ReasonParameters<
  Code extends CodeWithReasons,
  Reason extends ReasonOf<Code>,
> = (typeof problemReasons)[Code][Reason] extends infer Names extends readonly string[]
  ? ParametersNamed<Names>
  : never;
