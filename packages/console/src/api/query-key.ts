import type { Operation } from '@waxwing/contract/management-api/operation.ts';

/** The key of an answer in TanStack Query. The tag comes first, so that a change makes all answers of its tag stale. */
export function queryKey(operation: Pick<Operation, 'id' | 'tag'>, input: object, form: 'one' | 'tagged' | 'pages') {
  return [operation.tag, operation.id, form, input] as const;
}

/** The tags that a notice of the server makes stale. Nearly every change adds to the audit trail. */
export const tagsOfKind: Readonly<Record<string, readonly string[]>> = {
  organization: ['organizations', 'account', 'audit'],
  account: ['account', 'accounts', 'members', 'organizations', 'audit'],
  invitation: ['members', 'audit'],
  session: ['account', 'audit'],
  'management-key': ['management-keys', 'audit'],
  certificate: ['certificates', 'deployments', 'audit'],
  // A certificate tells how many of its deployments have its current version.
  deployment: ['deployments', 'certificates', 'audit'],
  // Only of deployments that were just made. Pages read these figures every few seconds besides.
  retrieval: ['deployments', 'certificates'],
  token: ['deployments', 'messaging-keys', 'management-keys', 'audit'],
  'messaging-key': ['messaging-keys', 'audit'],
  messaging: ['messaging', 'audit'],
  // What links do at a moment changes without a notice.
  carrier: ['carriers', 'audit'],
  'push-setting': ['push-settings', 'audit'],
  'alert-channel': ['alerts', 'audit'],
  alert: ['alerts'],
  authority: ['authorities', 'audit'],
  'dns-provider': ['dns providers', 'audit'],
  // Events of messages come by the thousand and are not in the audit trail.
  'message-event': ['messaging', 'pushes'],
};

/** The tags that a change makes stale; all of them for an unknown kind. */
export function staleTags(kind: string): readonly string[] | 'all' {
  return tagsOfKind[kind] ?? 'all';
}
