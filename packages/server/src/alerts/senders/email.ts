import { readFile } from 'node:fs/promises';
import { type SendingFailure, sendingFailureWords } from '@waxwing/contract/sending-failures.ts';
import { parseAddress } from '../../http/request/ip-address.ts';
import { scopeOf } from '../../outbound/public-address.ts';
import { receiverWords } from '../../outbound/receiver-words.ts';
import { isLocalName } from '../../outbound/target-url.ts';
import { type ChannelTarget, type Notice, refused, type SendResult, sent } from './notice.ts';
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
  readonly authorities?: string | readonly string[];
}

const MAXIMUM_MS = 30_000;
const maxBytes = 64 * 1024;

/** By the id of a delivery: who has its mail, of those where others were refused for the moment. */
export type AcceptedMails = Map<string, ReadonlySet<string>>;

/** After that many, or a restart, a mail that is tried again goes to everybody again. */
const mostAccepted = 1_000;

/** Sends notices as one plain text mail to all addresses of a channel that do not have it. Never rejects. */
export async function sendMail(
  mail: MailSettings | undefined,
  { to = [] }: ChannelTarget,
  notices: readonly Notice[],
  deliveryId: string,
  signal: AbortSignal,
  accepted: AcceptedMails,
  timeoutMs = MAXIMUM_MS,
): Promise<SendResult> {
  if (mail === undefined) return refused(sendingFailureWords('noMailServer'));
  const password = await readPassword(mail);
  if (!password.ok) return refused(sendingFailureWords('mailPasswordFile', { code: password.code }));
  const limit = AbortSignal.timeout(timeoutMs);
  const has = accepted.get(deliveryId) ?? new Set();
  const { text, count } = noticeText(notices, (some) => Buffer.byteLength(some) <= maxBytes);
  try {
    const transport = await openTransport(mail, password.text);
    const { rejectedErrors = [], accepted: taken } = await transport.sendMail({
      from: mail.from,
      // As objects: a text would be read as a list.
      to: to.filter((address) => !has.has(address)).map((address) => ({ name: '', address })),
      subject: noticeSubject(notices),
      text,
      messageId: `<${deliveryId}@${domainOf(mail.from)}>`,
      // RFC 3834 §5: no automatic reply to it.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: AbortSignal.any([signal, limit]),
    });
    const rejected = rejectedErrors.find(mayPass) ?? rejectedErrors[0];
    accepted.delete(deliveryId);
    if (rejected === undefined) return sent(notices, count);
    const all = new Set([...has, ...taken.map(addressOf)]);
    if (accepted.size >= mostAccepted) accepted.clear();
    if (mayPass(rejected)) accepted.set(deliveryId, all);
    const words = wordsOf(rejected, mail, password.text);
    return refused(sendingFailureWords('mailToSome', { accepted: all.size, all: to.length, words }), mayPass(rejected));
  } catch (error) {
    if (signal.aborted) return refused(sendingFailureWords('mailCutOff'));
    if (limit.aborted) return refused(sendingFailureWords('mailNotTaken'));
    return refused(wordsOf(error, mail, password.text), mayPass(error));
  }
}

function addressOf(recipient: string | { readonly address: string }): string {
  return typeof recipient === 'string' ? recipient : recipient.address;
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
    tls: { rejectUnauthorized: true, ...(authorities !== undefined && { ca: [authorities].flat() }) },
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
  if (response === undefined) return sendingFailureWords(failures[code] ?? 'mailOther', { code });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return receiverWords(response, [password, base64(password), base64(user), base64(`\0${user}\0${password}`)]);
}

/** By the codes of nodemailer. */
const failures: Readonly<Record<string, SendingFailure>> = {
  ECONNECTION: 'mailClosed',
  ETIMEDOUT: 'mailTimedOut',
  ESOCKET: 'mailNoConnection',
  EDNS: 'mailUnresolved',
  ETLS: 'mailNotEncrypted',
  EPROTOCOL: 'mailNoSmtp',
  EAUTH: 'mailNoSignIn',
};
