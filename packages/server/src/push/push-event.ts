import {
  type PushKind,
  type StatusPush,
  statusQuery,
  type UplinkPush,
  uplinkQuery,
} from '@waxwing/contract/push-request.ts';

/** Something a customer is to hear of. */
export type PushEvent = { readonly organizationId: string } & (
  | { readonly kind: 'status'; readonly payload: StatusPush }
  | { readonly kind: 'uplink'; readonly payload: UplinkPush }
);

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
  readonly payload: StatusPush | UplinkPush;
}

/** The raw query of a push, behind the own query of its URL. */
export function queryOf(kind: PushKind, payload: StatusPush | UplinkPush, ownQuery: string): string {
  return kind === 'status'
    ? statusQuery(payload as StatusPush, ownQuery)
    : uplinkQuery(payload as UplinkPush, ownQuery);
}
