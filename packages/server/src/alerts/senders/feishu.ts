import { createHmac } from 'node:crypto';
import { type ChannelTarget, type Notice, type SendResult, sent } from './notice.ts';
import { noticeText } from './notice-text.ts';
import { postToRobot, type RobotNeeds, type RobotVerdict, readVerdict, withoutCalls } from './robot.ts';

/** The limit of the whole body, bytes (https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot: 20 KB). */
const maxBody = 20_000;

/** A custom robot of Feishu or Lark, signed where the channel has a secret. */
export function sendToFeishu(
  needs: RobotNeeds,
  target: ChannelTarget,
  notices: readonly Notice[],
  signal: AbortSignal,
): Promise<SendResult> {
  const timestamp = `${Math.floor(needs.clock.now() / 1000)}`;
  const signed = target.secret && { timestamp, sign: feishuSign(timestamp, target.secret.reveal()) };
  const bodyOf = (text: string) =>
    JSON.stringify({ ...signed, msg_type: 'text', content: { text: withoutCalls(text) } });
  const { text, count } = noticeText(notices, (some) => Buffer.byteLength(bodyOf(some)) <= maxBody);
  return postToRobot(needs, target, { body: bodyOf(text), sent: sent(notices, count) }, verdictOf, signal);
}

/**
 * Timestamp and secret are the key, and nothing is signed with it.
 * @param timestamp Unix time in seconds; Feishu refuses it when it is an hour off
 */
export function feishuSign(timestamp: string, secret: string): string {
  return createHmac('sha256', `${timestamp}\n${secret}`).digest('base64');
}

/** Robots of the first version, and the second one beside its own names, say `StatusCode`. */
function verdictOf(answer: Readonly<Record<string, unknown>>): RobotVerdict | undefined {
  return readVerdict(answer, 'code', 'msg') ?? readVerdict(answer, 'StatusCode', 'StatusMessage');
}
