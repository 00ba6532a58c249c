import { resolve } from 'node:path';
import {
  alphabets,
  carrierProtocols,
  cmppSettings,
  longForms,
  receiptIdForms,
  smppOptionalSettings,
  smppSettings,
} from '@waxwing/contract/management-api/carrier-settings.ts';
import { type Arguments, type Option, type Place, Usage } from '../command.ts';
import type { ApiParts, ApiServer } from '../exchange/api-server.ts';
import { listed, numberOrOff, oneOf, wholeNumber } from '../option-values.ts';
import { readFiles, readSecret } from '../person-files.ts';
import { readPassword } from '../read-password.ts';
import { findOrganization } from './find-thing.ts';

export type CarrierBody = NonNullable<ApiParts<'updateCarrier'>['body']>;

const text = (value: string, help: string) => ({ type: 'string', value, help }) as const;
const several = (value: string, help: string) => ({ type: 'string', multiple: true, value, help }) as const;

/** The password, by a file or by stdin. */
export const passwordOptions = {
  'password-file': text('FILE', 'Where its password is'),
  'password-stdin': { type: 'boolean', help: 'Read its password from the first line of stdin' },
} as const satisfies Record<string, Option>;

/** All other settings that may be left out. */
export const settingOptions = {
  priority: text('1..100', 'The lowest number comes first; 1 unless set'),
  weight: text('1..100', 'Its share among carriers of the same priority; 1 unless set'),
  'for-prefix': several('+86[,+852]', 'Take only messages to numbers that begin like this; "none": to all'),
  'for-organization': several('ID[,ID]', 'Take only messages of these organizations; "none": of all'),
  'for-sender': several('S[,S]', 'Take only messages with one of these senders; "none": with any or none'),
  connections: text('1..16', 'Connections at once; 1 unless set'),
  window: text('1..500', 'Submits without an answer at once, on each connection; 10 unless set'),
  rate: text('N|off', 'Submits per second at most'),
  bind: text('transceiver|pair', 'One connection for both directions, or one for each (SMPP)'),
  tls: text('off|verify', 'There is no TLS without verification; off unless set'),
  'tls-ca': text('FILE', 'PEM: the authorities of its certificate, instead of those of the machine'),
  'tls-name': text('NAME', 'The name that its certificate must have, instead of the host; "none": the host'),
  'tls-certificate': text('FILE', 'PEM: the certificate that we present, with its chain'),
  'tls-key': text('FILE', 'PEM: the private key of that certificate'),
  'response-timeout': text('SPAN', 'How long an answer is waited for; 10s unless set'),
  'keep-alive': text('SPAN', 'After so long without traffic the link is tried; 30s unless set'),
  unanswered: text('resend|give-up', 'What becomes of a submit without an answer; resend unless set'),
  'system-type': text('T', 'SMPP: system_type of the bind; "none": empty'),
  'source-ton': text('N', 'SMPP: the type of senders; "none": as each sender looks'),
  'source-npi': text('N', 'SMPP: the numbering plan of senders; "none": as each sender looks'),
  'destination-ton': text('N', 'SMPP: the type of destination numbers; 1 unless set'),
  'destination-npi': text('N', 'SMPP: the numbering plan of destination numbers; 1 unless set'),
  'default-alphabet': text(alphabets.join('|'), 'SMPP: what data_coding 0 means to it; gsm7 unless set'),
  long: text(longForms.join('|'), 'SMPP: how it takes messages of several segments; udh8 unless set'),
  'receipt-id': text(receiptIdForms.join('|'), 'SMPP: how ids in receipts are those of answers; auto unless set'),
  temporary: several('0x…[,0x…]', 'SMPP: further statuses that are temporary; "none"'),
  permanent: several('0x…[,0x…]', 'SMPP: further statuses that are permanent; "none"'),
  'source-address': text('1069…', 'CMPP: the number that messages come from; "none"'),
  'service-id': text('S', 'CMPP: Service_Id; "none"'),
  'enterprise-code': text('C', 'CMPP: Msg_src; "none": the account'),
} as const satisfies Record<string, Option>;

type SettingOption = keyof typeof settingOptions;
type Read = (option: string, text: string) => unknown;

const whole =
  (least: number, most: number): Read =>
  (option, value) =>
    wholeNumber(option, value, least, most);
const among =
  (known: readonly string[]): Read =>
  (option, value) =>
    oneOf(option, value, known);
const orNone =
  (read: Read): Read =>
  (option, value) =>
    value === 'none' ? null : read(option, value);
const asIs: Read = (_option, value) => value;
const span: Read = (option, value) => {
  if (/^[1-9]\d{0,5}(?:ms|s|m)$/.test(value)) return value;
  throw new Usage(`--${option} must be a span such as 500ms, 10s or 1m.`);
};

const readers: Readonly<Partial<Record<SettingOption, Read>>> = {
  priority: whole(1, 100),
  weight: whole(1, 100),
  connections: whole(1, 16),
  window: whole(1, 500),
  rate: (option, value) => numberOrOff(option, value, 100_000),
  bind: among(['transceiver', 'pair']),
  tls: among(['off', 'verify']),
  'tls-name': orNone(asIs),
  'response-timeout': span,
  'keep-alive': span,
  unanswered: among(['resend', 'give-up']),
  'system-type': orNone(asIs),
  'source-ton': orNone(whole(0, 6)),
  'source-npi': orNone(whole(0, 18)),
  'destination-ton': whole(0, 6),
  'destination-npi': whole(0, 18),
  'default-alphabet': among(alphabets),
  long: among(longForms),
  'receipt-id': among(receiptIdForms),
  'source-address': orNone(asIs),
  'service-id': orNone(asIs),
  'enterprise-code': orNone(asIs),
};

const lists = ['for-prefix', 'for-sender', 'temporary', 'permanent'] as const;
const pemBytes = 100_000;

/** What the options set, as the API names it. @throws Usage for a value that no carrier may have */
export async function settingsOf(server: ApiServer, args: Arguments, place: Place): Promise<CarrierBody> {
  const body: Record<string, unknown> = {};
  for (const [option, read] of Object.entries(readers)) {
    const value = args.optional(option);
    if (value !== undefined) body[fieldOf(option)] = read(option, value);
  }
  for (const option of lists) {
    const values = listOf(args, option);
    if (values !== undefined) body[fieldOf(option)] = values;
  }
  const organizations = listOf(args, 'for-organization');
  if (organizations !== undefined) {
    body.for_organization = await Promise.all(organizations.map((each) => findOrganization(server, each)));
  }
  return { ...(body as CarrierBody), ...filesOf(args, place) };
}

function fieldOf(option: string): string {
  return option === 'connections' ? 'connection_count' : option.replaceAll('-', '_');
}

/** @returns undefined when it was not given; the word `none` is an empty list */
function listOf(args: Arguments, option: 'for-organization' | (typeof lists)[number]): string[] | undefined {
  const values = listed(args, option);
  if (values.length === 0) return undefined;
  if (values.length === 1 && values[0] === 'none') return [];
  const form = forms[option];
  const wrong = values.find((value) => form !== undefined && !form.test(value));
  if (wrong !== undefined) throw new Usage(`--${option} must be ${examples[option]}, and not ${wrong}.`);
  return [...values];
}

const statusForm = /^0[xX][0-9A-Fa-f]{1,8}$/;
const forms: Readonly<Record<string, RegExp>> = {
  'for-prefix': /^\+[1-9]\d{0,14}$/,
  temporary: statusForm,
  permanent: statusForm,
};
const examples: Readonly<Record<string, string>> = {
  'for-prefix': 'the beginnings of international numbers such as +86,+852',
  temporary: 'statuses such as 0x14,0x58',
  permanent: 'statuses such as 0x45',
};

/** Files are read now: the carrier keeps what they hold. */
function filesOf(args: Arguments, { terminal }: Place): CarrierBody {
  const read = (option: SettingOption): string | undefined => {
    const path = args.optional(option);
    const [file] = path === undefined ? [] : readFiles(option, [resolve(terminal.folder, path)], pemBytes);
    return file?.bytes.toString();
  };
  const [tls_ca, tls_certificate, tls_key] = [read('tls-ca'), read('tls-certificate'), read('tls-key')];
  if ((tls_certificate === undefined) !== (tls_key === undefined)) {
    throw new Usage('--tls-certificate goes with --tls-key.');
  }
  return {
    ...(tls_ca !== undefined && { tls_ca }),
    ...(tls_certificate !== undefined && { tls_certificate }),
    ...(tls_key !== undefined && { tls_key }),
  };
}

/** Undefined when none was given. */
export async function passwordOf(args: Arguments, { terminal }: Place): Promise<string | undefined> {
  const path = args.optional('password-file');
  if (!args.flag('password-stdin')) return readSecret('password-file', path, terminal.folder);
  if (path !== undefined) throw new Usage('Give --password-file or --password-stdin, not both.');
  return readPassword(terminal);
}

export const protocolOf: Read = among(carrierProtocols);

const optionsOf = (schemas: object): string[] => Object.keys(schemas).map((name) => name.replaceAll('_', '-'));
const smppOptions = optionsOf({ ...smppSettings, ...smppOptionalSettings });
const cmppOptions = optionsOf(cmppSettings);
const tlsOptions = ['tls-ca', 'tls-name', 'tls-certificate', 'tls-key'];

/** @throws Usage for options of a new carrier that contradict each other */
export function requireFit(args: Arguments, protocol: string, command: string): void {
  const [foreign, other] = protocol === 'smpp' ? [cmppOptions, 'CMPP'] : [smppOptions, 'SMPP'];
  const given = foreign.find((option) => args.flag(option));
  if (given !== undefined) throw new Usage(`--${given} is an option of ${other}, and not of ${protocol}.`, command);
  if (protocol !== 'smpp' && args.optional('bind') === 'pair') {
    throw new Usage(`--bind pair is for SMPP: a connection of ${protocol} has both directions.`, command);
  }
  const tls = tlsOptions.find((option) => args.flag(option));
  if (tls !== undefined && args.optional('tls') !== 'verify') {
    throw new Usage(`--${tls} goes with --tls verify.`, command);
  }
  if (args.flag('source-ton') !== args.flag('source-npi')) {
    throw new Usage('--source-ton goes with --source-npi.', command);
  }
}
