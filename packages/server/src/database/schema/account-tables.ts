import type { Flag } from './column-types.ts';

/** Organizations, people, and what they and their automation sign in with. */
export interface AccountTables {
  organization: OrganizationRow;
  token: TokenRow;
  account: AccountRow;
  membership: MembershipRow;
  sso_identity: SsoIdentityRow;
  one_time_link: OneTimeLinkRow;
  session: SessionRow;
  challenge: ChallengeRow;
  guess: GuessRow;
  familiar_device: FamiliarDeviceRow;
  totp: TotpRow;
  passkey: PasskeyRow;
  recovery_code: RecoveryCodeRow;
  management_key: ManagementKeyRow;
}

export interface OrganizationRow {
  id: string;
  name: string;
  created_at: number;
  suspended_at: number | null;
}

/** Every API token of every kind, by the SHA-256 of its text (hex). `subject_id` is what it speaks for. */
export interface TokenRow {
  hash: string;
  kind: 'deployment' | 'messaging' | 'management';
  organization_id: string;
  subject_id: string;
  hint: string;
  created_at: number;
  expires_at: number | null;
  /** 1 when it was taken away: then it has ended, whatever a clock says. */
  ended: Flag;
  /** The id of the management key that made it and so has seen it; null: none did, or nobody knows. */
  made_by: string | null;
}

/** A person. Told apart by the mail address in lower case. */
export interface AccountRow {
  id: string;
  email: string;
  /** Whether the person runs the instance, by our own word and by that of the identity provider. */
  operator: Flag;
  operator_by_sso: Flag;
  /** Argon2id with its parameters in the PHC string format; null while none is set. */
  password: string | null;
  disabled_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface MembershipRow {
  organization_id: string;
  account_id: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
  /** Given by the identity provider, which takes it back, too. */
  by_sso: Flag;
  created_at: number;
}

/** Whom an identity provider calls by `subject`. */
export interface SsoIdentityRow {
  issuer: string;
  subject: string;
  account_id: string;
  created_at: number;
}

/** A link that does one thing once; by the SHA-256 of its token (hex). It is removed when it is used. */
export interface OneTimeLinkRow {
  id: string;
  hash: string;
  kind: 'activation' | 'reset' | 'invitation';
  email: string;
  /** Null for an invitation: who takes it may have no account yet. */
  account_id: string | null;
  /** Where an invitation leads to; empty for the others. */
  organization_id: string;
  role: MembershipRow['role'] | null;
  created_by: string;
  created_at: number;
  expires_at: number;
}

/** By the SHA-256 of its cookie (hex), which changes at each step up; the id stays. */
export interface SessionRow {
  id: string;
  hash: string;
  account_id: string;
  method: 'password' | 'passkey' | 'sso' | 'link';
  created_at: number;
  /** When the person last proved who they are; 0: the identity provider has vouched for them and does not say. */
  authenticated_at: number;
  seen_at: number;
  expires_at: number;
  address: string;
  user_agent: string;
}

/** Something that was asked and waits for its one answer, by the SHA-256 of what the answer must carry (hex). */
export interface ChallengeRow {
  hash: string;
  kind: 'second-factor' | 'passkey-sign-in' | 'passkey-second-factor' | 'passkey-fresh' | 'passkey-enrolment' | 'sso';
  account_id: string | null;
  /** JSON. */
  facts: string;
  created_at: number;
  expires_at: number;
}

/** Wrong guesses about a subject: when all of them are forgotten tells how many weigh at the moment. */
export interface GuessRow {
  subject: string;
  empty_at: number;
}

/** A browser from which a person has signed in, by the SHA-256 of its cookie (hex). */
export interface FamiliarDeviceRow {
  account_id: string;
  hash: string;
  created_at: number;
  seen_at: number;
}

export interface TotpRow {
  account_id: string;
  id: string;
  sealed: Uint8Array;
  key_id: string;
  /** Null while the person has not shown a first code. */
  confirmed_at: number | null;
  /** The time step of the newest code that was accepted: none up to it is accepted again. */
  last_step: number;
  created_at: number;
}

export interface PasskeyRow {
  id: string;
  account_id: string;
  /** Base64url, as the authenticator names it. */
  credential_id: string;
  /** COSE_Key (RFC 9052 §7). */
  public_key: Uint8Array;
  counter: number;
  /** JSON list. */
  transports: string;
  name: string;
  created_at: number;
  used_at: number | null;
}

/** By the SHA-256 of the code (hex). */
export interface RecoveryCodeRow {
  account_id: string;
  hash: string;
  used_at: number | null;
}

/** What automation manages with; its tokens are in `token`. `organization_id` is empty for the whole instance. */
export interface ManagementKeyRow {
  organization_id: string;
  id: string;
  name: string;
  role: MembershipRow['role'] | 'operator';
  enabled: Flag;
  allow_list: string;
  expires_at: number | null;
  created_by: string;
  created_at: number;
  updated_at: number;
}

// Management API (0005)
