import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as settings from '@waxwing/contract/management-api/carrier-settings.ts';

import type { Carrier } from '../../api/shown-carriers.ts';
import {
  addressForm,
  asciiForm,
  type CarrierValues,
  carrierChange,
  choices,
  needsKey,
  newCarrier,
  numberLimits,
  prefixForm,
  spanForm,
  standardValues,
  statusForm,
} from './carrier-values.ts';

interface Schema {
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
}

const schemas = {
  protocol: settings.CarrierProtocol,
  ...settings.carrierConditions,
  ...settings.carrierPlace,
  ...settings.carrierChoice,
  ...settings.carrierLink,
  ...settings.carrierLinkOptional,
  ...settings.smppSettings,
  ...settings.smppOptionalSettings,
  ...settings.cmppSettings,
} as Readonly<Record<string, Schema>>;

test('a new carrier begins with the standard values of the contract', () => {
  const standard = Object.entries(schemas).flatMap(([name, schema]) =>
    schema.default === undefined || Array.isArray(schema.default) ? [] : [[name, schema.default]],
  );
  assert.deepEqual(standardValues, Object.fromEntries(standard));
});

test('numbers have the limits of the contract, and choices its values', () => {
  const numbers = Object.entries(schemas).filter(([, { maximum }]) => maximum !== undefined);
  assert.deepEqual(
    numberLimits,
    Object.fromEntries(numbers.map(([name, { minimum, maximum }]) => [name, [minimum, maximum]])),
  );
  const enumerations = Object.entries(schemas).filter(([, schema]) => schema.enum !== undefined);
  assert.deepEqual(choices, Object.fromEntries(enumerations.map(([name, schema]) => [name, schema.enum])));
});

test('prefixes, spans and statuses have the form of the contract', () => {
  const cases: readonly [form: RegExp, schema: Schema | undefined, texts: readonly string[]][] = [
    [prefixForm, schemas.for_prefix?.items, ['+86', '+', '86', '+0', '+852123456789012', '+8521234567890123']],
    [spanForm, schemas.keep_alive, ['30s', '500ms', '5m', '0s', '1h', '10', '1000000s', ' s']],
    [statusForm, schemas.temporary?.items, ['0x58', '0X0b', '58', '0x', '0x123456789', '0xg']],
  ];
  for (const [form, schema, texts] of cases) {
    for (const text of texts) assert.equal(form.test(text), new RegExp(schema?.pattern ?? '').test(text), text);
  }
});

test('an address has a port', () => {
  for (const text of ['smpp.example.com:2775', '192.0.2.1:7890', '[2001:db8::1]:2775']) assert.match(text, addressForm);
  for (const text of ['smpp.example.com', '2001:db8::1:2775', 'a b:1', ':2775', ''])
    assert.doesNotMatch(text, addressForm);
});

test('credentials are visible ASCII of a limited length', () => {
  assert.match('sesame', asciiForm(8));
  for (const text of ['nine chars', 'ninechars', '密码']) assert.doesNotMatch(text, asciiForm(8));
});

const filled: CarrierValues = {
  ...{ name: ' Unicom ', protocol: 'cmpp3', address: 'ismg.example.com:7890', account: '901234', password: 'sesame' },
  ...{ for_prefix: ['+86'], rate: null, source_address: '1069001', service_id: '' },
};

test('what is left empty is not set in a new carrier', () => {
  assert.deepEqual(newCarrier(filled), {
    ...{ name: 'Unicom', protocol: 'cmpp3', address: 'ismg.example.com:7890', account: '901234', password: 'sesame' },
    ...{ for_prefix: ['+86'], source_address: '1069001' },
  });
});

const stored = {
  ...{ id: 'c', name: 'Unicom', protocol: 'smpp', address: 'a:1', account: 'x', enabled: true, priority: 1, weight: 1 },
  ...{ for_prefix: [], for_organization: [], for_sender: [], rate: 20, system_type: 'VMA', temporary: [] },
  ...{ tls: 'verify', tls_ca: 'CA\n', tls_name: null, tls_certificate: 'CERT\n' },
} as unknown as Carrier;

const changes: readonly [what: string, typed: Partial<CarrierValues>, change: object | undefined][] = [
  ['nothing', {}, undefined],
  ['nothing but white space', { name: 'Unicom ', tls_ca: 'CA', tls_certificate: 'CERT' }, undefined],
  ['a name and a list', { name: 'Mobile', for_prefix: ['+86'] }, { name: 'Mobile', for_prefix: ['+86'] }],
  ['a limit that is taken away', { rate: null, system_type: ' ' }, { rate: null, system_type: null }],
  ['a password that is given', { password: 'sesame' }, { password: 'sesame' }],
  ['a password that is left empty', { password: '' }, undefined],
  ['another certificate', { tls_certificate: 'NEW', tls_key: 'KEY' }, { tls_certificate: 'NEW', tls_key: 'KEY' }],
  ['another key', { tls_key: 'KEY\n' }, { tls_certificate: 'CERT', tls_key: 'KEY' }],
  ['no certificate any more', { tls_certificate: '', tls_key: '' }, { tls_certificate: null }],
  [
    'TLS, with all its fields gone',
    { tls: 'off', tls_ca: undefined, tls_certificate: undefined } as never,
    { tls: 'off' },
  ],
];

/** The form has only settings. */
function settingsOf({ id: _id, enabled: _enabled, ...settings }: Carrier) {
  return settings;
}

for (const [what, typed, change] of changes) {
  test(`a change of ${what} sends ${JSON.stringify(change) ?? 'nothing'}`, () => {
    const values = Object.entries({ ...settingsOf(stored), ...typed }).filter(([, value]) => value !== undefined);
    assert.deepEqual(carrierChange(stored, Object.fromEntries(values) as unknown as CarrierValues), change);
  });
}

test('another certificate needs its key', () => {
  assert.ok(needsKey('NEW', 'CERT\n') && needsKey('NEW', null));
  for (const same of ['CERT', '', null, undefined]) assert.ok(!needsKey(same, 'CERT\n'), String(same));
});
