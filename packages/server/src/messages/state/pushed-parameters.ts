import type { TestSample } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { refusalMemos } from '@waxwing/contract/memos.ts';
import type { PushKind, StatusPush, UplinkPush } from '@waxwing/contract/push-request.ts';
import type { Verdict } from './message-state.ts';

/** What a status push tells, in the order on the wire: memo when and only when it was rejected. */
export function statusParameters(batchId: string, mobile: string, verdict: Verdict): StatusPush {
  const { status } = verdict;
  return status === 'REJECTED'
    ? { batch_id: batchId, mobile, status, memo: verdict.memo }
    : { batch_id: batchId, mobile, status };
}

/** What an uplink push tells, in the order on the wire. */
export function replyParameters(sender: string, text: string): UplinkPush {
  return { mobile: sender, message: text };
}

const samples: Readonly<Record<TestSample, Verdict>> = {
  delivered: { status: 'DELIVRD' },
  undelivered: { status: 'UNDELIV' },
  rejected: { status: 'REJECTED', memo: refusalMemos.optedOut },
};

/** What a test push sends. */
export function sampleParameters(kind: PushKind, sample: TestSample): StatusPush | UplinkPush {
  const number = '+8613800138000';
  return kind === 'status'
    ? statusParameters('test', number, samples[sample])
    : replyParameters(number, 'This is a test push.');
}
