import { createHmac } from 'node:crypto';
import { type ChannelTarget, type Notice, type SendResult, sent } from './notice.ts';
import { noticeText } from './notice-text.ts';
import { postToRobot, type RobotNeeds, readVerdict, withoutCalls } from './robot.ts';

/** The limit of the whole body, bytes (https://open.dingtalk.com/document/robots/custom-robot-access). */
const maxBody = 20_000;

/** A custom robot of DingTalk, signed where the channel has a secret. */
export function sendToDingtalk(
  needs: RobotNeeds,
  target: ChannelTarget,
  notices: readonly Notice[],
  signal: AbortSignal,
): Promise<SendResult> {
  const bodyOf = (text: string) => JSON.stringify({ msgtype: 'text', text: { content: withoutCalls(text) } });
  const { text, count } = noticeText(notices, (some) => Buffer.byteLength(bodyOf(some)) <= maxBody);
  const timestamp = `${needs.clock.now()}`;
  const query = target.secret && { timestamp, sign: dingtalkSign(timestamp, target.secret.reveal()) };
  const message = { body: bodyOf(text), sent: sent(notices, count), ...(query !== undefined && { query }) };
  return postToRobot(needs, target, message, (answer) => readVerdict(answer, 'errcode', 'errmsg'), signal);
}

/** @param timestamp epoch milliseconds; DingTalk refuses it when it is an hour off */
export function dingtalkSign(timestamp: string, secret: string): string {
  return createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64');
}
