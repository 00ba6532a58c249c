import Type, { type TObject } from 'typebox';
import { alertTypes } from '../alert-notices.ts';
import type { Operation } from '../operation.ts';
import { operationsOf } from '../operation-declaration.ts';
import {
  closed,
  extended,
  Id,
  listOf,
  Name,
  nullable,
  sentenceParameters,
  stableCode,
  Time,
} from '../shared-schemas.ts';

const operation = operationsOf('alerts');

export const AlertChannelKind = Type.Enum(['email', 'webhook', 'wecom', 'dingtalk', 'feishu'], {
  description: 'Emails, a signed webhook, or a robot in a group of WeCom, DingTalk or Feishu.',
});
export type AlertChannelKind = Type.Static<typeof AlertChannelKind>;

/** The settings of a channel: what an ETag covers. */
const Settings = Type.Object(
  {
    id: Id,
    organization_id: nullable(Id, { description: 'Null: of the instance.' }),
    kind: AlertChannelKind,
    name: Name,
    enabled: Type.Boolean({ description: 'False: nothing is sent to it.' }),
    to: Type.Array(Type.String(), { description: 'The recipients of emails. Empty for the other kinds.' }),
    host: nullable(Type.String(), { description: 'The host of its URL, which is not shown. Null for emails.' }),
    signed: Type.Boolean({ description: 'Whether it has a secret.' }),
    created_at: Time,
    updated_at: Time,
  },
  closed,
);

export const AlertChannel = extended(
  Settings,
  {
    last_sent_at: nullable(Time, { description: 'When it last accepted alerts. Null: not yet.' }),
    last_error: nullable(Type.String(), {
      description: 'Why the latest delivery was not accepted. Null: it was, or there was none.',
    }),
  },
  { $id: 'AlertChannel', description: 'Where alerts are sent.' },
);
export type AlertChannel = Type.Static<typeof AlertChannel>;

const AlertChannelWithSecret = extended(
  AlertChannel,
  {
    secret: nullable(Type.String(), {
      description: 'The generated secret, shown only here. Null: none was generated.',
    }),
  },
  { $id: 'AlertChannelWithSecret' },
);

const TestedAlertChannel = Type.Object(
  {
    sent: Type.Boolean({ description: 'Whether the receiver accepted it.' }),
    to: Type.String({ description: 'The recipients, or the host.' }),
    ms: Type.Integer({ minimum: 0, description: 'How long it took.' }),
    error: nullable(Type.String(), { description: "Why it was not accepted, in the receiver's words. Null: it was." }),
  },
  { $id: 'TestedAlertChannel', ...closed },
);

const AlertDelivery = Type.Object(
  {
    channel_id: nullable(Id, {
      description:
        "Null, in an organization's list: channels of the instance. Of all of them together only the state is shown: `sent` if one accepted it.",
    }),
    channel: Type.String({
      description: 'Its name when the alert was told. `the operators of the instance` where `channel_id` is null.',
    }),
    kind: nullable(AlertChannelKind, { description: 'Null where `channel_id` is.' }),
    to: Type.String({ description: 'The recipients, or the host. Empty where `channel_id` is null.' }),
    state: Type.Enum(['waiting', 'sent', 'failed'], {
      description:
        '`failed`: given up after a day, refused for good, or ended because the channel was disabled or deleted.',
    }),
    attempts: Type.Integer({ minimum: 0 }),
    due_at: nullable(Time, { description: 'When the next attempt is due. Null: none is.' }),
    ended_at: nullable(Time, { description: 'When it was accepted or given up.' }),
    last_error: nullable(Type.String(), { description: 'Why the latest attempt failed. Null: none did.' }),
  },
  { $id: 'AlertDelivery', ...closed },
);

const AlertKind = Type.Enum(alertTypes, { description: 'The kind of what is told.' });

export const Alert = Type.Object(
  {
    id: Id,
    organization_id: nullable(Id, { description: 'Null: about the instance.' }),
    type: Type.String({ description: 'As `kind`; `<kind>.resolved` when this tells the end of one.' }),
    kind: AlertKind,
    resolved: Type.Boolean({ description: 'Whether this tells the end of one.' }),
    at: Time,
    about_id: Type.String({
      description:
        'What it is about: the id of a certificate, a deployment or a push setting. Else the server, or empty.',
    }),
    subject: Type.String({ description: 'A sentence.' }),
    detail: Type.String({ description: 'A sentence.' }),
    notice: stableCode('Stable. The console translates subject and detail by it.'),
    parameters: sentenceParameters,
    deliveries: Type.Array(AlertDelivery, {
      description: 'One for each channel, by name. Empty: no channel heard of it.',
    }),
  },
  { $id: 'Alert', ...closed, description: 'What was told, and to whom.' },
);
export type Alert = Type.Static<typeof Alert>;

const destination = {
  to: Type.Optional(
    Type.Array(Type.String({ minLength: 3, maxLength: 254 }), {
      minItems: 1,
      maxItems: 20,
      description: 'The recipients of emails. Only for them, and needed there.',
    }),
  ),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'Of a webhook or robot, and needed there. It is kept as a secret.',
    }),
  ),
};
const secretText = Type.String({ minLength: 1, maxLength: 200 });

const NewAlertChannel = Type.Object(
  {
    kind: AlertChannelKind,
    name: Name,
    enabled: Type.Optional(Type.Boolean({ default: true })),
    ...destination,
    secret: Type.Optional({
      ...secretText,
      description:
        'By which a webhook (`whsec_…`) or a robot of DingTalk or Feishu checks signatures. Absent: one is generated for a webhook, and a robot does not check.',
    }),
  },
  { $id: 'NewAlertChannel', ...closed },
);

const AlertChannelUpdate = Type.Object(
  {
    name: Type.Optional(Name),
    enabled: Type.Optional(Type.Boolean()),
    ...destination,
    secret: Type.Optional(nullable(secretText, { description: 'Null: a robot does not check signatures any more.' })),
  },
  { $id: 'AlertChannelUpdate', ...closed, minProperties: 1 },
);

/** Seven operations, the same for an organization and for the instance. */
function alertOperationsOf<const Suffix extends string, const Path extends string>(kind: {
  readonly suffix: Suffix;
  readonly path: Path;
  readonly of: string;
  readonly prefix: string;
  readonly heard: string;
  readonly listed: Pick<Operation, 'everywhere'>;
}) {
  const { suffix, path, of, prefix } = kind;
  const channels = `${path}/alert-channels` as const;
  const one = `${channels}/{alert_channel_id}` as const;
  const tagged: TObject = Settings;
  return {
    list: operation({
      id: `list${suffix}AlertChannels`,
      method: 'GET',
      path: channels,
      summary: `List the alert channels of ${of}`,
      description: `Oldest first. ${kind.heard}`,
      action: `${prefix}alert-channel.read`,
      ...listOf(AlertChannel),
      ...kind.listed,
    }),
    create: operation({
      id: `create${suffix}AlertChannel`,
      method: 'POST',
      path: channels,
      summary: `Create an alert channel of ${of}`,
      description:
        'A URL must be a public address, which is checked now and on every connection. `reason` tells why it is refused, as for push settings. ' +
        'At most 100 channels; another is refused with `too_many_alert_channels`.',
      action: `${prefix}alert-channel.create`,
      body: NewAlertChannel,
      answer: { status: 201, schema: AlertChannelWithSecret },
      problems: ['conflict'],
      secret: true,
      idempotent: true,
      longBody: true,
    }),
    show: operation({
      id: `show${suffix}AlertChannel`,
      method: 'GET',
      path: one,
      summary: `Show an alert channel of ${of}`,
      action: `${prefix}alert-channel.read`,
      answer: { status: 200, schema: AlertChannel },
      tagged,
    }),
    update: operation({
      id: `update${suffix}AlertChannel`,
      method: 'PATCH',
      path: one,
      summary: `Change an alert channel of ${of}`,
      description: 'Takes effect on the next attempt. Absent fields stay as they are. Its kind cannot change.',
      action: `${prefix}alert-channel.update`,
      body: AlertChannelUpdate,
      answer: { status: 200, schema: AlertChannel },
      tagged,
      ifMatch: true,
      longBody: true,
    }),
    remove: operation({
      id: `delete${suffix}AlertChannel`,
      method: 'DELETE',
      path: one,
      summary: `Delete an alert channel of ${of}`,
      description: 'Alerts that wait for it are not sent. What was sent stays listed.',
      action: `${prefix}alert-channel.delete`,
      answer: { status: 204 },
    }),
    test: operation({
      id: `test${suffix}AlertChannel`,
      method: 'POST',
      path: `${one}/test`,
      summary: `Try an alert channel of ${of}`,
      description:
        'Sends one alert of the type `alert.test` the same way, even if the channel is disabled. It is not kept.',
      action: `${prefix}alert-channel.test`,
      answer: { status: 200, schema: TestedAlertChannel },
    }),
    alerts: operation({
      id: `list${suffix}Alerts`,
      method: 'GET',
      path: `${path}/alerts`,
      summary: `List the alerts of ${of}`,
      description: 'Newest first, each with the channels it was sent to.',
      action: `${prefix}alert.read`,
      ...listOf(Alert),
      ...kind.listed,
    }),
  } as const;
}

export const alertsOfOrganization = alertOperationsOf({
  suffix: '',
  path: '/organizations/{organization_id}',
  of: 'an organization',
  prefix: '',
  heard: "While an organization has no enabled channel, its alerts go to the instance's channels.",
  listed: { everywhere: true },
});

export const alertsOfInstance = alertOperationsOf({
  suffix: 'Instance',
  path: '/instance',
  of: 'the instance',
  prefix: 'instance.',
  heard: 'They also get the alerts of organizations without an enabled channel.',
  listed: {},
});

export const alertOperations = [...Object.values(alertsOfOrganization), ...Object.values(alertsOfInstance)] as const;
