import type { MessageTimeline } from '../../api/shown-things.ts';

type Push = NonNullable<MessageTimeline['push']>;
export type PushAttempt = Push['attempt_log'][number];
type Status = NonNullable<MessageTimeline['message']['status']>;

type StepTone = 'good' | 'soon' | 'bad' | 'plain' | 'open';

/** A step in the timeline of a message. */
export type MessageStep =
  | { readonly kind: 'accepted'; readonly at: string }
  | { readonly kind: 'segments' }
  | {
      readonly kind: 'carrier';
      readonly name: string;
      readonly reason: string | undefined;
      readonly at: string | undefined;
    }
  | { readonly kind: 'carrierNone' }
  | { readonly kind: 'carrierWaits'; readonly reason: string | undefined }
  | { readonly kind: 'receipt'; readonly status: Status; readonly memo: string | undefined; readonly at: string }
  | { readonly kind: 'receiptWaits' }
  | { readonly kind: 'push'; readonly push: Push }
  | { readonly kind: 'attempt'; readonly attempt: PushAttempt; readonly at: string }
  | { readonly kind: 'nextAttempt'; readonly at: string }
  | { readonly kind: 'pushFailed'; readonly at: string | undefined }
  | { readonly kind: 'noPush'; readonly why: 'off' | 'gone' };

/** The steps of a message so far, and what it waits for. Pure. */
export function messageSteps({ message, push }: MessageTimeline): readonly MessageStep[] {
  const accepted = { kind: 'accepted', at: message.accepted_at } as const;
  const way = [accepted, { kind: 'segments' } as const, carrierStep(message)];
  const { status, settled_at: at } = message;
  if (status === undefined || at === undefined) {
    return message.sent_at === undefined ? way : [...way, { kind: 'receiptWaits' }];
  }
  return [...way, { kind: 'receipt', status, memo: message.memo, at }, ...pushSteps(message.push, push)];
}

function carrierStep({ carrier, carrier_reason, sent_at: at, status }: MessageTimeline['message']): MessageStep {
  const reason = carrier_reason ?? undefined;
  if (carrier !== null && (at !== undefined || status !== undefined)) {
    return { kind: 'carrier', name: carrier, reason, at };
  }
  return status === undefined ? { kind: 'carrierWaits', reason } : { kind: 'carrierNone' };
}

function pushSteps(state: MessageTimeline['message']['push'], push: MessageTimeline['push']): readonly MessageStep[] {
  if (push === null) return [{ kind: 'noPush', why: state === 'off' ? 'off' : 'gone' }];
  const attempts = push.attempt_log.map((attempt) => ({ kind: 'attempt', attempt, at: attempt.at }) as const);
  return [{ kind: 'push', push }, ...attempts, ...pushEnd(push)];
}

function pushEnd({ state, due_at, ended_at }: Push): readonly MessageStep[] {
  if (due_at !== null) return [{ kind: 'nextAttempt', at: due_at }];
  if (state === 'failed') return [{ kind: 'pushFailed', at: ended_at ?? undefined }];
  return state === 'off' ? [{ kind: 'noPush', why: 'off' }] : [];
}

const statusTones = { DELIVRD: 'good', UNDELIV: 'soon', REJECTED: 'bad' } as const;

export function stepTone(step: MessageStep): StepTone {
  switch (step.kind) {
    case 'carrierWaits':
    case 'receiptWaits':
    case 'nextAttempt':
      return 'open';
    case 'receipt':
      return statusTones[step.status];
    case 'attempt':
      return isDelivered(step.attempt) ? 'good' : 'bad';
    case 'pushFailed':
      return 'bad';
    case 'noPush':
    case 'carrierNone':
    case 'push':
      return 'plain';
    default:
      return 'good';
  }
}

/** Success is status 200 and nothing else. */
function isDelivered({ outcome, status }: Pick<PushAttempt, 'outcome' | 'status'>): boolean {
  return outcome === 'answered' && status === 200;
}

/** Whether the message or its push may still change. */
export function isUnderWay({ message, push }: MessageTimeline): boolean {
  return message.status === undefined || push?.state === 'waiting';
}
