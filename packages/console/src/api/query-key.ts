import type { Operation } from '@waxwing/contract/management-api/operation.ts';

/** Under what TanStack Query keeps an answer: first what it is about, so that a change of that makes all of it stale. */
export function queryKey(operation: Pick<Operation, 'id' | 'tag'>, input: object, form: 'one' | 'tagged' | 'pages') {
  return [operation.tag, operation.id, form, input] as const;
}

/** By what the server calls that which changed. Whatever somebody changes leaves its entry in the audit trail. */
export const tagsOfKind: Readonly<Record<string, readonly string[]>> = {
  organization: ['organizations', 'account', 'audit'],
  account: ['account', 'accounts', 'members', 'organizations', 'audit'],
  invitation: ['members', 'audit'],
  session: ['account', 'audit'],
  'management-key': ['management-keys', 'audit'],
  certificate: ['certificates', 'deployments', 'audit'],
  deployment: ['deployments', 'audit'],
  token: ['deployments', 'messaging-keys', 'management-keys', 'audit'],
  'messaging-key': ['messaging-keys', 'audit'],
  messaging: ['messaging', 'audit'],
  'push-setting': ['push-settings', 'audit'],
  // What becomes of messages is no deed of anybody, and comes by the thousand: the audit trail has nothing of it.
  'message-event': ['messaging', 'pushes'],
};

/** Which answers a change makes stale, by their tags: all of them where the kind is not known. */
export function staleTags(kind: string): readonly string[] | 'all' {
  return tagsOfKind[kind] ?? 'all';
}
