import Type from 'typebox';
import {
  CarrierProtocol,
  carrierChoice,
  carrierConditions,
  carrierLink,
  carrierLinkOptional,
  carrierPlace,
  cmppSettings,
  eachNullable,
  smppOptionalSettings,
  smppSettings,
} from '../carrier-settings.ts';
import { operationsOf } from '../operation-declaration.ts';
import { closed, Id, Name, nullable, Time } from '../shared-schemas.ts';
import { carrierFacts } from './carrier-operations.ts';

const operation = operationsOf('carriers');

const password = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Visible ASCII; with SMPP at most 8 octets. It is never shown.',
});
const tlsKey = Type.String({
  minLength: 1,
  maxLength: 100_000,
  description: 'PEM, not encrypted. The private key of `tls_certificate`. It is never shown.',
});

const settable = Type.Partial(
  Type.Object({
    ...carrierConditions,
    ...carrierChoice,
    ...carrierLink,
    ...eachNullable(carrierLinkOptional),
    tls_key: tlsKey,
    ...smppSettings,
    ...eachNullable(smppOptionalSettings),
    ...eachNullable(cmppSettings),
  }),
).properties;

/** What an operator has set. */
export const CarrierSettings = Type.Object(
  {
    id: Id,
    name: Name,
    protocol: CarrierProtocol,
    ...carrierPlace,
    enabled: Type.Boolean(),
    ...carrierConditions,
    ...carrierChoice,
    ...carrierLink,
    ...eachNullable(carrierLinkOptional),
    ...eachNullable(smppSettings),
    ...eachNullable(smppOptionalSettings),
    ...eachNullable(cmppSettings),
  },
  closed,
);
export type CarrierSettings = Type.Static<typeof CarrierSettings>;

export const Carrier = Type.Object(
  {
    ...CarrierSettings.properties,
    simulated: Type.Boolean({ description: 'Always false: the simulator has no settings.' }),
    ...carrierFacts,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Carrier', ...closed, description: 'A carrier that an operator has set up. Its secrets are never shown.' },
);
export type Carrier = Type.Static<typeof Carrier>;

const NewCarrier = Type.Object(
  {
    name: Name,
    protocol: CarrierProtocol,
    ...carrierPlace,
    password,
    enabled: Type.Optional(Type.Boolean({ default: true })),
    ...settable,
  },
  { $id: 'NewCarrier', ...closed },
);
export type NewCarrier = Type.Static<typeof NewCarrier>;

const CarrierUpdate = Type.Object(
  {
    ...Type.Partial(Type.Object({ name: Name, ...carrierPlace, password })).properties,
    ...settable,
  },
  { $id: 'CarrierUpdate', ...closed, minProperties: 1 },
);
export type CarrierUpdate = Type.Static<typeof CarrierUpdate>;

const path = '/instance/carriers';
const one = `${path}/{carrier_id}` as const;

export const createCarrier = operation({
  id: 'createCarrier',
  method: 'POST',
  path,
  summary: 'Create a carrier',
  description:
    'From the first one on, the simulator takes no messages any more, also after all carriers are deleted. Settings that only the other protocol has are refused.',
  action: 'instance.carrier.create',
  body: NewCarrier,
  answer: { status: 201, schema: Carrier },
  problems: ['conflict'],
  idempotent: true,
  longBody: true,
});

export const showCarrier = operation({
  id: 'showCarrier',
  method: 'GET',
  path: one,
  summary: 'Show a carrier',
  action: 'instance.carrier.read',
  answer: { status: 200, schema: Carrier },
  tagged: CarrierSettings,
});

export const updateCarrier = operation({
  id: 'updateCarrier',
  method: 'PATCH',
  path: one,
  summary: 'Change a carrier',
  description: 'Absent fields stay as they are. Takes effect without a restart.',
  action: 'instance.carrier.update',
  body: CarrierUpdate,
  answer: { status: 200, schema: Carrier },
  problems: ['conflict'],
  tagged: CarrierSettings,
  ifMatch: true,
  longBody: true,
});

export const enableCarrier = operation({
  id: 'enableCarrier',
  method: 'POST',
  path: `${one}/enable`,
  summary: 'Enable a carrier',
  action: 'instance.carrier.enable',
  answer: { status: 200, schema: Carrier },
});

export const disableCarrier = operation({
  id: 'disableCarrier',
  method: 'POST',
  path: `${one}/disable`,
  summary: 'Disable a carrier',
  description:
    'It takes no messages any more. Those that wait for it go to other carriers whose conditions hold; else they wait until it is enabled, or their validity ends.',
  action: 'instance.carrier.disable',
  answer: { status: 200, schema: Carrier },
});

export const deleteCarrier = operation({
  id: 'deleteCarrier',
  method: 'DELETE',
  path: one,
  summary: 'Delete a carrier',
  description:
    'Refused while inbound numbers are routed from it. Messages that wait for it go to other carriers whose conditions hold; else they wait for one until their validity ends. Its secrets are removed; old messages still name it.',
  action: 'instance.carrier.delete',
  answer: { status: 204 },
  problems: ['conflict'],
});

const TestedCarrier = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether all steps worked.' }),
    steps: Type.Array(
      Type.Object(
        {
          name: Type.Enum(['connect', 'bind', 'enquire', 'active-test', 'submit']),
          ms: Type.Integer({ minimum: 0, description: 'How long it took.' }),
        },
        closed,
      ),
      { description: 'Those that worked, in their order.' },
    ),
    error: nullable(Type.String(), { description: 'Why the next step failed. Null: none did.' }),
    message_id: nullable(Type.String(), { description: 'What the carrier calls the message. Null: none was sent.' }),
  },
  { $id: 'TestedCarrier', ...closed },
);
export type TestedCarrier = Type.Static<typeof TestedCarrier>;

export const testCarrier = operation({
  id: 'testCarrier',
  method: 'POST',
  path: `${one}/test`,
  summary: 'Try a carrier',
  description:
    'Connects and binds beside its link, also while it is disabled, and asks whether it is there. With `to` it sends one message, which no organization is charged for and which is not listed.',
  action: 'instance.carrier.test',
  body: Type.Object(
    {
      to: Type.Optional(
        Type.String({ pattern: '^\\+[1-9][0-9]{3,14}$', description: 'A phone, international with +.' }),
      ),
      text: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1000, description: '`Test by Waxwing` unless given.' }),
      ),
    },
    { $id: 'CarrierTest', ...closed },
  ),
  answer: { status: 200, schema: TestedCarrier },
});

export const carrierSettingOperations = [
  createCarrier,
  showCarrier,
  updateCarrier,
  enableCarrier,
  disableCarrier,
  deleteCarrier,
  testCarrier,
] as const;
