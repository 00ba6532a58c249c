import Type from 'typebox';
import { operation } from './operation.ts';
import { closed, Id, inOrganization, nullable } from './shared-schemas.ts';

const tag = 'messaging';

const region = nullable(Type.String({ pattern: '^[A-Za-z]{2}$' }), {
  description: 'Of numbers without a leading +, ISO 3166-1 alpha-2. Null: only international numbers are accepted.',
});
const perSecond = nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
  description: 'More than so many in a second are refused. Null: without limit.',
});
const perDay = nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 }), {
  description: 'What is beyond it in a day (in UTC) ends as REJECTED. Null: without limit.',
});

export const MessagingSettings = Type.Object(
  { organization_id: Id, default_region: region, messages_per_second: perSecond, messages_per_day: perDay },
  { $id: 'MessagingSettings', ...closed, description: 'How an organization sends.' },
);

const common = {
  tag,
  params: inOrganization,
  answer: { status: 200, schema: MessagingSettings },
  tagged: MessagingSettings,
} as const;

export const showMessagingSettings = operation({
  id: 'showMessagingSettings',
  method: 'GET',
  path: '/organizations/{organization_id}/messaging-settings',
  summary: 'Show how an organization sends',
  action: 'messaging-setting.read',
  ...common,
});

export const updateMessagingSettings = operation({
  id: 'updateMessagingSettings',
  method: 'PATCH',
  path: '/organizations/{organization_id}/messaging-settings',
  summary: 'Change how an organization sends',
  description: 'True from the next request on.',
  action: 'messaging-setting.update',
  body: Type.Object({ default_region: region }, { $id: 'MessagingSettingsUpdate', ...closed }),
  ifMatch: true,
  ...common,
});

export const updateQuotas = operation({
  id: 'updateQuotas',
  method: 'PATCH',
  path: '/organizations/{organization_id}/quotas',
  summary: "Change an organization's quotas",
  description: 'What an organization may send is for operators to say. True from the next request on.',
  action: 'quota.update',
  body: Type.Object(
    { messages_per_second: Type.Optional(perSecond), messages_per_day: Type.Optional(perDay) },
    { $id: 'QuotaUpdate', ...closed, minProperties: 1 },
  ),
  ifMatch: true,
  ...common,
});

export const messagingSettingOperations = [showMessagingSettings, updateMessagingSettings, updateQuotas] as const;
