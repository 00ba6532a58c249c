import type { AlertChannelKind } from '@waxwing/contract/management-api/operations/alert-operations.ts';
import { issueSigningSecret, parseSigningSecret } from '../../outbound/signature.ts';
import { checkTargetUrl, type TargetGuard } from '../../outbound/target-guard.ts';
import { Problem } from '../../runtime/problem.ts';
import { SecretText } from '../../runtime/secret-text.ts';

/** Where a channel shall send. Absent fields stay as they are. */
export interface DestinationRequest {
  readonly to?: readonly string[] | undefined;
  readonly url?: string | undefined;
  /** Null: none from now on. */
  readonly secret?: string | null | undefined;
}

/** A destination that was checked. */
export interface Destination {
  readonly to?: readonly string[];
  readonly url?: { readonly text: SecretText; readonly host: string };
  readonly secret?: SecretText | null;
}

/**
 * Checks what a request says of a channel's destination, against the kind of channel and the guard.
 * @throws Problem `invalid_parameter` naming the field
 */
export async function checkDestination(
  kind: AlertChannelKind,
  { to, url, secret }: DestinationRequest,
  guard: TargetGuard,
): Promise<Destination> {
  if (kind === 'email') {
    if (url !== undefined) throw refusal('url', 'An email channel has no url: name its recipients.');
    if (secret !== undefined) throw refusal('secret', 'An email channel has no secret.');
    return to === undefined ? {} : { to: checkRecipients(to) };
  }
  if (to !== undefined) throw refusal('to', 'Only an email channel has recipients.');
  return {
    ...(url !== undefined && { url: await checkUrl(kind, url, guard) }),
    ...(secret !== undefined && { secret: checkSecret(kind, secret) }),
  };
}

/** The columns of a new channel, and the secret generated for a webhook. @throws Problem as `checkDestination` */
export async function checkNewDestination(
  kind: AlertChannelKind,
  request: DestinationRequest,
  guard: TargetGuard,
): Promise<{ readonly destination: Destination; readonly generated: SecretText | undefined }> {
  if (kind === 'email' && request.to === undefined) throw refusal('to', 'An email channel needs recipients.');
  if (kind !== 'email' && request.url === undefined) throw refusal('url', 'This kind of channel needs a url.');
  const destination = await checkDestination(kind, request, guard);
  if (kind !== 'webhook' || request.secret !== undefined) return { destination, generated: undefined };
  const generated = issueSigningSecret();
  return { destination: { ...destination, secret: generated }, generated };
}

/** One address, as mail servers take it; no name, no list. */
const address = /^[^\s@<>(),;:"\\[\]\p{C}]{1,64}@[^\s@<>(),;:"\\[\]\p{C}]{1,253}$/u;

function checkRecipients(to: readonly string[]): readonly string[] {
  const trimmed = [...new Set(to.map((each) => each.trim()))];
  const wrong = trimmed.find((each) => each.length > 254 || !address.test(each));
  if (wrong === undefined && trimmed.length > 0) return trimmed;
  throw refusal('to', 'Write each recipient as one email address, such as ops@example.com.');
}

async function checkUrl(
  kind: AlertChannelKind,
  text: string,
  guard: TargetGuard,
): Promise<NonNullable<Destination['url']>> {
  const ourParameters = kind === 'dingtalk' ? ['timestamp', 'sign'] : [];
  const checked = await checkTargetUrl(text, { guard, ourParameters });
  if (checked.ok) return { text: new SecretText(text), host: checked.target.host };
  const { code, message } = checked.fault;
  throw new Problem('invalid_parameter', { field: 'url', reason: code.replaceAll('-', '_'), detail: message });
}

function checkSecret(kind: AlertChannelKind, text: string | null): SecretText | null {
  if (kind === 'wecom') throw refusal('secret', 'A robot of WeCom has no secret: its key is in the url.');
  if (text === null) {
    if (kind !== 'webhook') return null;
    throw refusal('secret', 'A webhook is always signed: give it another secret.');
  }
  const secret = new SecretText(text);
  const isFit = kind === 'webhook' ? parseSigningSecret(secret) !== undefined : /^[\x21-\x7e]+$/.test(text);
  if (isFit) return secret;
  throw kind === 'webhook'
    ? refusal('secret', 'The secret of a webhook must be whsec_ and the base64 of 24 to 64 bytes.')
    : refusal('secret', 'The secret must be the one that the robot shows, without spaces.');
}

function refusal(field: string, detail: string): Problem {
  return new Problem('invalid_parameter', { field, detail });
}
