import type { AttemptThread } from '../../outbound/attempt-thread.ts';
import type { GuardedAgent } from '../../outbound/guarded-agent.ts';
import type { Clock } from '../../runtime/clock.ts';
import { sendToDingtalk } from './dingtalk.ts';
import { type AcceptedMails, type MailSettings, sendMail } from './email.ts';
import { sendToFeishu } from './feishu.ts';
import type { ChannelTarget, Notice, SendResult } from './notice.ts';
import { postNotices } from './webhook.ts';
import { sendToWecom } from './wecom.ts';

export interface SenderNeeds {
  /** For robots, whose answers must be read. */
  readonly agent: GuardedAgent;
  /** For webhooks, which are attempted as pushes are. */
  readonly attempts: Pick<AttemptThread, 'attempt'>;
  /** Undefined where the operator has set no mail server. */
  readonly mail: MailSettings | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** `Waxwing/1.0.0` */
  readonly userAgent: string;
}

/**
 * Sends notices to a channel: as one mail or one message of a robot, or each by a request of a webhook. Never rejects.
 * @param deliveryId the same whenever the same notices are sent to the channel again
 */
export type SendNotices = (
  target: ChannelTarget,
  notices: readonly Notice[],
  deliveryId: string,
  signal: AbortSignal,
) => Promise<SendResult>;

export function createNoticeSender(needs: SenderNeeds): SendNotices {
  const accepted: AcceptedMails = new Map();
  return (target, notices, deliveryId, signal) => {
    switch (target.kind) {
      case 'email':
        return sendMail(needs.mail, target, notices, deliveryId, signal, accepted);
      case 'webhook':
        return postNotices(needs, target, notices, signal);
      case 'wecom':
        return sendToWecom(needs, target, notices, signal);
      case 'dingtalk':
        return sendToDingtalk(needs, target, notices, signal);
      case 'feishu':
        return sendToFeishu(needs, target, notices, signal);
    }
  };
}
