import type { Operation } from '@waxwing/contract/management-api/operation.ts';

/** Under what TanStack Query keeps an answer: first what it is about, so that a change of that makes all of it stale. */
export function queryKey(operation: Pick<Operation, 'id' | 'tag'>, input: object, form: 'one' | 'tagged' | 'pages') {
  return [operation.tag, operation.id, form, input] as const;
}

const tagsOfKind: Readonly<Record<string, readonly string[]>> = {
  certificate: ['certificates', 'deployments'],
  deployment: ['deployments'],
  token: ['deployments', 'messaging-keys'],
  'messaging-key': ['messaging-keys'],
  'message-event': ['messaging', 'pushes'],
  organization: ['organizations', 'me'],
  account: ['me', 'members'],
  member: ['me', 'members'],
  'push-setting': ['push-settings'],
  everything: [],
};

/** Which answers a change makes stale, by their tags; none named: all of them. */
export function staleTags(kind: string): readonly string[] | 'all' {
  if (kind === 'everything') return 'all';
  return tagsOfKind[kind] ?? [kind];
}
