import { type ChannelTarget, type Notice, type SendResult, sent } from './notice.ts';
import { noticeText } from './notice-text.ts';
import { postToRobot, type RobotNeeds, readVerdict, withoutCalls } from './robot.ts';

/** The limit of the content, bytes of UTF-8 (https://developer.work.weixin.qq.com/document/path/91770). */
const maxContent = 2048;

/** A group robot of WeCom. Its key is in the URL; there is no signature. */
export function sendToWecom(
  needs: RobotNeeds,
  target: ChannelTarget,
  notices: readonly Notice[],
  signal: AbortSignal,
): Promise<SendResult> {
  const { text, count } = noticeText(notices, (some) => Buffer.byteLength(withoutCalls(some)) <= maxContent);
  const content = withoutCalls(text);
  const body = JSON.stringify({ msgtype: 'text', text: { content } });
  return postToRobot(
    needs,
    target,
    { body, sent: sent(notices, count) },
    (answer) => readVerdict(answer, 'errcode', 'errmsg'),
    signal,
  );
}
