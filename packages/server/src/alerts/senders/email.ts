import { readFile } from 'node:fs/promises';
import { parseAddress } from '../../http/request/ip-address.ts';
import { scopeOf } from '../../outbound/public-address.ts';
import { receiverWords } from '../../outbound/receiver-words.ts';
import { isLocalName } from '../../outbound/target-url.ts';
import { type ChannelTarget, type Notice, refused, type SendResult } from './notice.ts';
import { noticeSubject, noticeText } from './notice-text.ts';

/** The mail server, which the operator sets: the guard of other targets does not hold for it. */
export interface MailSettings {
  readonly server: {
    /** TLS from the first byte; without it STARTTLS, where the server offers it. */
    readonly secure: boolean;
    readonly host: string;
    readonly port: number;
    readonly user: string | undefined;
  };
  /** Read for each mail, so that a new password needs no restart. */
  readonly passwordFile: string | undefined;
  /** An address, or `Name <address>`. */
  readonly from: string;
  /** PEM; replaces the certification authorities that are trusted by default. */
  readonly authorities?: string;
}

const MAXIMUM_MS = 30_000;
const maxBytes = 64 * 1024;

/** Sends notices as one plain text mail to all addresses of a channel. Never rejects. */
export async function sendMail(
  mail: MailSettings | undefined,
  { to = [] }: ChannelTarget,
  notices: readonly Notice[],
  deliveryId: string,
  signal: AbortSignal,
  timeoutMs = MAXIMUM_MS,
): Promise<SendResult> {
  if (mail === undefined) return refused('No mail server is set: the operator sets WAXWING_SMTP_URL.');
  const password = await readPassword(mail);
  if (!password.ok) return refused(`The file of WAXWING_SMTP_PASSWORD_FILE cannot be read (${password.code}).`);
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const transport = await openTransport(mail, password.text);
    const { rejectedErrors = [], accepted } = await transport.sendMail({
      from: mail.from,
      // As objects: a text would be read as a list.
      to: to.map((address) => ({ name: '', address })),
      subject: noticeSubject(notices),
      text: noticeText(notices, (text) => Buffer.byteLength(text) <= maxBytes),
      messageId: `<${deliveryId}@${domainOf(mail.from)}>`,
      // RFC 3834 §5: no automatic reply to it.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: AbortSignal.any([signal, limit]),
    });
    const [rejected] = rejectedErrors;
    if (rejected === undefined) return { kind: 'sent' };
    // Not to be sent again: the others have it.
    const some = `The mail went to ${accepted.length} of ${to.length} addresses. About another one the server said:`;
    return refused(`${some} ${wordsOf(rejected, mail, password.text)}`, false);
  } catch (error) {
    if (signal.aborted) return refused('The mail was cut off on our side.');
    if (limit.aborted) return refused('The mail server did not take the mail in time.');
    return refused(wordsOf(error, mail, password.text), mayPass(error));
  }
}

/** Loaded with the first mail, since a server that sends none needs none of its memory. */
async function openTransport({ server, authorities }: MailSettings, password: string) {
  const { createTransport } = await import('nodemailer');
  const { host, port, secure, user } = server;
  return createTransport({
    host,
    port,
    secure,
    // The password leaves this machine only encrypted, whatever somebody in between makes the server seem to offer.
    requireTLS: user !== undefined && !isThisMachine(host),
    ...(user !== undefined && { auth: { user, pass: password } }),
    // Said here, or NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would take every certificate.
    tls: { rejectUnauthorized: true, ...(authorities !== undefined && { ca: authorities }) },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function isThisMachine(host: string): boolean {
  const address = parseAddress(host);
  return address === undefined ? isLocalName(host) : scopeOf(address) === 'loopback';
}

async function readPassword({
  passwordFile,
}: MailSettings): Promise<
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly code: string }
> {
  if (passwordFile === undefined) return { ok: true, text: '' };
  try {
    const text = await readFile(passwordFile, 'utf8');
    return { ok: true, text: text.replace(/\r?\n$/, '') };
  } catch (error) {
    return { ok: false, code: factsOf(error).code };
  }
}

/** `Waxwing <waxwing@example.com>` → `example.com`. */
function domainOf(from: string): string {
  return /@([^@\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}

interface MailFault {
  readonly code: string;
  /** The answer of the server, when it refused. */
  readonly response: string | undefined;
  readonly status: number | undefined;
}

function factsOf(error: unknown): MailFault {
  const { code, response, responseCode } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return {
    code: typeof code === 'string' ? code : 'UNKNOWN',
    response: typeof response === 'string' ? response : undefined,
    status: typeof responseCode === 'number' ? responseCode : undefined,
  };
}

/** Whether it may succeed later. A wrong password is the operator's to correct, and no fault of the mail. */
function mayPass(error: unknown): boolean {
  const { code, status = 0 } = factsOf(error);
  return status < 500 || code === 'EAUTH';
}

function wordsOf(error: unknown, { server: { user = '' } }: MailSettings, password: string): string {
  const { code, response } = factsOf(error);
  if (response === undefined) return faultWords[code] ?? `The mail could not be handed to the mail server (${code}).`;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return receiverWords(response, [password, base64(password), base64(user), base64(`\0${user}\0${password}`)]);
}

/** By the codes of nodemailer. */
const faultWords: Readonly<Record<string, string>> = {
  ECONNECTION: 'The mail server closed the connection.',
  ETIMEDOUT: 'The mail server did not answer in time.',
  ESOCKET: 'No connection to the mail server came about, or it broke off.',
  EDNS: 'The name of the mail server does not resolve.',
  ETLS: 'No encrypted connection to the mail server came about.',
  EPROTOCOL: 'The mail server does not speak SMTP.',
  EAUTH: 'The mail server offers no way to sign in that we know.',
};
