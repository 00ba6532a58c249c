/** The settings of a carrier as its form has them, and what is sent of them. Pure. */
import type { BodyOf } from '@waxwing/contract/management-api/operation.ts';
import type {
  createCarrier,
  updateCarrier,
} from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import type { Carrier } from '../../api/shown-carriers.ts';

type NewCarrier = BodyOf<typeof createCarrier>;
type CarrierUpdate = BodyOf<typeof updateCarrier>;
type FactName = Exclude<keyof Carrier, keyof NewCarrier>;
type Settings = Omit<Carrier, FactName | 'enabled' | 'protocol'>;
type StoredSettings = Settings & Pick<Carrier, 'protocol'>;
export type Protocol = Carrier['protocol'];

type Typed<Value> = Value extends number | string | readonly unknown[] ? Value | null : never;

/** Only fields that are shown have a value. An empty field of a number is null, all other empty fields are ''. */
export type CarrierValues = { readonly [Name in keyof Settings]?: Typed<Settings[Name]> } & {
  readonly name: string;
  readonly protocol: Protocol;
  readonly password?: string;
  readonly tls_key?: string;
};

/** What a field begins with in a new carrier: the standard values of the contract. */
export const standardValues = {
  priority: 1,
  weight: 1,
  connection_count: 1,
  window: 10,
  bind: 'transceiver',
  tls: 'off',
  response_timeout: '10s',
  keep_alive: '30s',
  unanswered: 'resend',
  destination_ton: 1,
  destination_npi: 1,
  default_alphabet: 'gsm7',
  long: 'udh8',
  receipt_id: 'auto',
} as const;

/** The least and the most of each number. */
export const numberLimits = {
  priority: [1, 100],
  weight: [1, 100],
  connection_count: [1, 16],
  window: [1, 500],
  rate: [1, 100_000],
  source_ton: [0, 6],
  source_npi: [0, 18],
  destination_ton: [0, 6],
  destination_npi: [0, 18],
} as const satisfies Partial<Record<keyof Settings, readonly [number, number]>>;

export const choices = {
  protocol: ['smpp', 'cmpp2', 'cmpp3'],
  bind: ['transceiver', 'pair'],
  tls: ['off', 'verify'],
  unanswered: ['resend', 'give-up'],
  default_alphabet: ['gsm7', 'gsm7-packed', 'latin1', 'ascii'],
  long: ['udh8', 'udh16', 'sar', 'payload'],
  receipt_id: ['auto', 'text', 'decimal-to-hex', 'hex-to-decimal'],
} as const;

/** Fields that are not compared with what is stored: they do not change, are secret, or go with a secret. */
const ownRules: readonly string[] = ['protocol', 'password', 'tls_certificate', 'tls_key'];

/** @returns what an empty field means: nothing is set */
function meaningOf(typed: unknown): unknown {
  if (typeof typed !== 'string') return typed ?? null;
  return typed.trim() === '' ? null : typed.trim();
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(meaningOf(one)) === JSON.stringify(meaningOf(other));

/** The body that creates a carrier. Fields that were left empty keep the standard of the server. */
export function newCarrier(values: CarrierValues): NewCarrier {
  const filled = Object.entries(values).map(([name, typed]) => [name, meaningOf(typed)] as const);
  return Object.fromEntries(filled.filter(([, value]) => value !== null)) as unknown as NewCarrier;
}

/**
 * The body that changes a carrier: only what differs, so that the audit trail names what was changed. Secrets are sent
 * if they are given; the certificate goes with its key.
 * @returns undefined if nothing differs
 */
export function carrierChange(was: StoredSettings, values: CarrierValues): CarrierUpdate | undefined {
  const changed = Object.entries(values)
    .filter(([name, typed]) => !ownRules.includes(name) && !isSame(typed, was[name as keyof StoredSettings]))
    .map(([name, typed]) => [name, meaningOf(typed)]);
  const password = meaningOf(values.password);
  const change = {
    ...Object.fromEntries(changed),
    ...(password !== null && { password }),
    ...certificateChange(was, values),
  };
  return Object.keys(change).length === 0 ? undefined : (change as CarrierUpdate);
}

function certificateChange(was: StoredSettings, { tls_certificate, tls_key }: CarrierValues): object {
  const [certificate, key] = [meaningOf(tls_certificate), meaningOf(tls_key)];
  if (key !== null) return { tls_certificate: certificate, tls_key: key };
  return tls_certificate === undefined || isSame(certificate, was.tls_certificate) ? {} : { tls_certificate: null };
}

/** Whether the private key must be given: there is a certificate, and it is not the stored one. */
export function needsKey(certificate: string | null | undefined, stored: string | null | undefined): boolean {
  return meaningOf(certificate) !== null && !isSame(certificate, stored);
}

/** `HOST:PORT`, as the server reads it. */
export const addressForm = /^\s*(?:\[[0-9a-fA-F:.]+\]|[\w.-]{1,253}):\d{1,5}\s*$/;

export const spanForm = /^\s*[1-9]\d{0,5}(?:ms|s|m)\s*$/;

export const prefixForm = /^\+[1-9]\d{0,14}$/;

export const statusForm = /^0[xX][0-9A-Fa-f]{1,8}$/;

/** Visible ASCII, as both protocols have it. */
export function asciiForm(most: number): RegExp {
  return new RegExp(`^\\s*[\\x21-\\x7e]{0,${most}}\\s*$`);
}

/** So many characters an account and a password may have. */
export const credentialLengths = {
  smpp: { account: 15, password: 8 },
  cmpp2: { account: 6, password: 64 },
  cmpp3: { account: 6, password: 64 },
} as const satisfies Record<Protocol, object>;
