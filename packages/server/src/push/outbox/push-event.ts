import type { PushKind } from '@waxwing/contract/push-request.ts';

/** The parameters of a push by their names, in the order in which they are sent. */
export type PushParameters = Readonly<Record<string, string>>;

/** What is sent, made by the domain that the event is of: parameters of a GET, or the JSON text that a POST has as its body. */
export type PushContent = { readonly query: PushParameters } | { readonly body: string };

/** Something a customer is to hear of. */
export type PushEvent = { readonly organizationId: string; readonly kind: PushKind } & PushContent;

/** A push that waits, as the dispatcher handles it. */
export interface WaitingPush {
  readonly organizationId: string;
  /** Also its `Webhook-Id`, through retries and re-sends. */
  readonly id: string;
  readonly settingId: string;
  readonly dueAt: number;
  /** When its budget of attempts began, epoch ms. */
  readonly queuedAt: number;
  /** Recorded outcomes in all, re-sends included. */
  readonly attempts: number;
  /** Those of budgets before this one. */
  readonly attemptsBefore: number;
  readonly content: PushContent;
}

/** Content as a row holds it: a JSON object of parameters, or a JSON string that is the text of a body. */
export function toStoredContent(content: PushContent): string {
  // JSON text, where even U+0000 is an escape that both databases hold.
  return JSON.stringify('body' in content ? content.body : content.query);
}

export function readStoredContent(payload: string): PushContent {
  const stored = JSON.parse(payload) as PushParameters | string;
  return typeof stored === 'string' ? { body: stored } : { query: stored };
}
