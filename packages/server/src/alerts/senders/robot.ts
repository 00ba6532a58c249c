import { sendingFailureWords } from '@waxwing/contract/sending-failures.ts';
import { failureWords } from '../../outbound/failure-words.ts';
import type { GuardedAgent } from '../../outbound/guarded-agent.ts';
import { guardedRequest } from '../../outbound/guarded-request.ts';
import { receiverWords, urlSecrets } from '../../outbound/receiver-words.ts';
import { parseTargetUrl } from '../../outbound/target-url.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type ChannelTarget, refused, type SendResult } from './notice.ts';

export interface RobotNeeds {
  readonly agent: GuardedAgent;
  readonly clock: Pick<Clock, 'now'>;
  /** `Waxwing/1.0.0` */
  readonly userAgent: string;
}

export interface RobotMessage {
  /** Goes behind the query of the robot's URL. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The result when it is accepted. */
  readonly sent: SendResult;
}

/** A robot's own verdict: `code` 0 is success. */
export interface RobotVerdict {
  readonly code: number;
  readonly words: string;
}

const timeoutMs = 10_000;
const maxBytes = 64 * 1024;

/**
 * Posts a message to a robot. Its verdict decides: robots answer 200 to what they refuse as well.
 * @param verdictOf undefined where the answer is none of this kind of robot
 */
export async function postToRobot(
  { agent, userAgent }: RobotNeeds,
  { url, secret }: ChannelTarget,
  { query = {}, body, sent }: RobotMessage,
  verdictOf: (answer: Readonly<Record<string, unknown>>) => RobotVerdict | undefined,
  signal: AbortSignal,
): Promise<SendResult> {
  const address = url?.reveal() ?? '';
  const parsed = parseTargetUrl(address);
  if (!parsed.ok) return refused(parsed.fault.message, false);
  const { target } = parsed;
  const added = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const end = await guardedRequest(
    agent,
    {
      target,
      query: [target.ownQuery, ...added].filter((part) => part !== '').join('&'),
      headers: { 'user-agent': userAgent, 'content-type': 'application/json; charset=utf-8' },
      body,
    },
    { timeoutMs, maxBytes, signal },
  );
  if (end.kind !== 'answered') return refused(failureWords(end));
  const answer = readObject(end.body);
  const verdict = answer === undefined ? undefined : verdictOf(answer);
  // The answer of something else, perhaps of a page that is nobody's business.
  if (verdict === undefined) return refused(sendingFailureWords('noRobot', { status: end.status }));
  if (verdict.code === 0 && end.status === 200) return sent;
  const secrets = [...urlSecrets(address), secret?.reveal() ?? '', ...Object.values(query)];
  const status = end.status === 200 ? '' : `status ${end.status}, `;
  return refused(receiverWords(`${status}${verdict.code}: ${verdict.words}`, secrets));
}

/** The code and the words under these names. */
export function readVerdict(
  answer: Readonly<Record<string, unknown>>,
  code: string,
  words: string,
): RobotVerdict | undefined {
  const [number, text] = [answer[code], answer[words]];
  return typeof number === 'number' ? { code: number, words: typeof text === 'string' ? text : '' } : undefined;
}

function readObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A name in a notice must not call anybody: `<@user>` and `<at …>` do so in messages of these robots. */
export function withoutCalls(text: string): string {
  return text.replaceAll(/<(?=@|at\b)/gi, '‹');
}
