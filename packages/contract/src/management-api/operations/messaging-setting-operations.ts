import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { closed, Id, nullable } from '../shared-schemas.ts';

const operation = operationsOf('messaging');

const region = nullable(Type.String({ pattern: '^[A-Za-z]{2}$' }), {
  description: 'Of numbers without a leading +, ISO 3166-1 alpha-2. Null: only international numbers are accepted.',
});
const perSecond = nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
  description: 'More in a second are refused. Null: no limit.',
});
const perDay = nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 }), {
  description: 'More in a day (UTC) end as REJECTED. Null: no limit.',
});

export const MessagingSettings = Type.Object(
  { organization_id: Id, default_region: region, messages_per_second: perSecond, messages_per_day: perDay },
  { $id: 'MessagingSettings', ...closed, description: 'How an organization sends.' },
);
export type MessagingSettings = Type.Static<typeof MessagingSettings>;

const common = {
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
  description: 'Takes effect on the next request.',
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
  description: 'Only operators may. Takes effect on the next request.',
  action: 'quota.update',
  body: Type.Object(
    { messages_per_second: Type.Optional(perSecond), messages_per_day: Type.Optional(perDay) },
    { $id: 'QuotaUpdate', ...closed, minProperties: 1 },
  ),
  ifMatch: true,
  ...common,
});

export const messagingSettingOperations = [showMessagingSettings, updateMessagingSettings, updateQuotas] as const;
