/** The settings of carriers, by the names of the command line's options with `_`; `--connections` is `connection_count`. */
import Type, { type TProperties, type TSchema, type TUnion } from 'typebox';
import { Id, nullable } from './shared-schemas.ts';

export const carrierProtocols = ['smpp', 'cmpp2', 'cmpp3'] as const;
export type CarrierProtocol = (typeof carrierProtocols)[number];

export const CarrierProtocol = Type.Enum(carrierProtocols, {
  description: 'SMPP 3.4, CMPP 2.0 or CMPP 3.0. It cannot be changed.',
});

export const alphabets = ['gsm7', 'gsm7-packed', 'latin1', 'ascii'] as const;
export const longForms = ['udh8', 'udh16', 'sar', 'payload'] as const;
export const receiptIdForms = ['auto', 'text', 'decimal-to-hex', 'hex-to-decimal'] as const;

const pem = (description: string) => Type.String({ minLength: 1, maxLength: 100_000, description });
const span = (description: string) =>
  Type.String({ pattern: '^[1-9][0-9]{0,5}(ms|s|m)$', description: `${description} Such as \`10s\` or \`500ms\`.` });
const type = (what: string) => Type.Integer({ minimum: 0, maximum: 6, description: `${what} (SMPP 3.4 §5.2.5).` });
const plan = (what: string) => Type.Integer({ minimum: 0, maximum: 18, description: `${what} (SMPP 3.4 §5.2.6).` });
const statuses = (description: string) =>
  Type.Array(Type.String({ pattern: '^0[xX][0-9A-Fa-f]{1,8}$' }), { maxItems: 100, uniqueItems: true, description });

/** Which messages a carrier takes. An empty list is no condition; all conditions must hold. */
export const carrierConditions = {
  for_prefix: Type.Array(Type.String({ pattern: '^\\+[1-9][0-9]{0,14}$' }), {
    maxItems: 1000,
    description: 'Only messages to numbers that begin with one of these, such as `+86`.',
  }),
  for_organization: Type.Array(Id, { maxItems: 200, description: 'Only messages of one of these organizations.' }),
  for_sender: Type.Array(Type.String({ minLength: 1, maxLength: 20 }), {
    maxItems: 1000,
    description: 'Only messages with one of these senders. `+` and letter case do not matter.',
  }),
};

/** Settings that every carrier has. */
export const carrierPlace = {
  address: Type.String({ minLength: 3, maxLength: 300, description: '`HOST:PORT`; an IPv6 address in brackets.' }),
  account: Type.String({
    minLength: 1,
    maxLength: 15,
    description: 'The `system_id` of SMPP, at most 15 octets; the `SP_Id` of CMPP, at most 6.',
  }),
};

export const carrierChoice = {
  priority: Type.Integer({ minimum: 1, maximum: 100, default: 1, description: 'The lowest number comes first.' }),
  weight: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 1,
    description: 'Its share of the messages among carriers of the same priority.',
  }),
};

/** Settings of the link that always have a value. */
export const carrierLink = {
  connection_count: Type.Integer({
    minimum: 1,
    maximum: 16,
    default: 1,
    description: 'How many connections there are to be (`--connections`). `connections` tells of each.',
  }),
  window: Type.Integer({
    minimum: 1,
    maximum: 500,
    default: 10,
    description: 'Submits without an answer at once, on each connection.',
  }),
  bind: Type.Enum(['transceiver', 'pair'], {
    default: 'transceiver',
    description: 'One connection for both directions, or a transmitter with a receiver (SMPP only).',
  }),
  tls: Type.Enum(['off', 'verify'], { default: 'off', description: 'There is no TLS without verification.' }),
  response_timeout: { ...span('How long an answer is waited for, 100ms to 5m.'), default: '10s' },
  keep_alive: { ...span('After so long without traffic the link is tried, 100ms to 1h.'), default: '30s' },
  unanswered: Type.Enum(['resend', 'give-up'], {
    default: 'resend',
    description: 'What becomes of a submit without an answer: it is sent again, three times in all, or given up.',
  }),
};

/** Settings of the link that may be missing. */
export const carrierLinkOptional = {
  rate: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Submits per second at most. Null: no limit.' }),
  tls_ca: pem('PEM. The authorities that its certificate may end at. Null: those of the machine.'),
  tls_name: Type.String({
    minLength: 1,
    maxLength: 253,
    description: 'The name that its certificate must have. Null: the host of the address.',
  }),
  tls_certificate: pem('PEM. The certificate that we present, with its chain. Null: none.'),
};

/** Settings that only SMPP has. Null with CMPP. */
export const smppSettings = {
  destination_ton: { ...type('Type of destination numbers'), default: 1 },
  destination_npi: { ...plan('Numbering plan of destination numbers'), default: 1 },
  default_alphabet: Type.Enum(alphabets, { default: 'gsm7', description: 'What `data_coding` 0 means to it.' }),
  long: Type.Enum(longForms, { default: 'udh8', description: 'How it takes messages of several segments.' }),
  receipt_id: Type.Enum(receiptIdForms, {
    default: 'auto',
    description: 'How the ids in its receipts are those of its answers. `decimal-to-hex`: decimal in the answer.',
  }),
  temporary: { ...statuses('Further values of `command_status` that are temporary.'), default: [] },
  permanent: { ...statuses('Further values of `command_status` that are permanent.'), default: [] },
};

export const smppOptionalSettings = {
  system_type: Type.String({ minLength: 1, maxLength: 12, description: '`system_type` of the bind. Null: empty.' }),
  source_ton: type('Type of senders. Null: as each sender looks'),
  source_npi: plan('Numbering plan of senders. Null: as each sender looks'),
};

/** Settings that only CMPP has. Null with SMPP. */
export const cmppSettings = {
  source_address: Type.String({
    minLength: 1,
    maxLength: 21,
    pattern: '^[0-9]+$',
    description: 'The number that messages come from (`Src_Id`), such as 1069….',
  }),
  service_id: Type.String({ minLength: 1, maxLength: 10, description: '`Service_Id`.' }),
  enterprise_code: Type.String({ minLength: 1, maxLength: 6, description: '`Msg_src`. Null: the account.' }),
};

type Nullable<Properties extends TProperties> = {
  [Name in keyof Properties]: TUnion<[Properties[Name], ReturnType<typeof Type.Null>]>;
};

/** Each of them, or null. */
export function eachNullable<const Properties extends TProperties>(properties: Properties): Nullable<Properties> {
  const all = Object.entries(properties).map(([name, schema]): [string, TSchema] => {
    const { default: _default, ...plain } = schema as TSchema & { readonly default?: unknown };
    return [name, nullable(plain as TSchema)];
  });
  return Object.fromEntries(all) as Nullable<Properties>;
}
