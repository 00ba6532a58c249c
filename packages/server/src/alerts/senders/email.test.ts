import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { type AcceptedMails, type MailSettings, sendMail } from './email.ts';
import type { Notice } from './notice.ts';
import { noticeOf } from './posted-request.testing.ts';
import { startScriptedSmtp, startTrialSmtp, withoutSmtp } from './smtp-server.testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'waxwing-mail-'));
after(() => rmSync(folder, { recursive: true }));

const ca = makeTrialCa({ now: Date.now() });
const trusted = ca.issue({ domains: ['127.0.0.1', '0.0.0.0'] });
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const tls = { certificate: file('tls.crt', trusted.chainPem), key: file('tls.key', trusted.keyPem) };
const password = 'correct horse battery';
const passwordFile = file('password', `${password}\n`);
const account = { user: 'alerts@example.com', password };
const skip = withoutSmtp;
const signal = new AbortController().signal;

test('a mail is plain text to all addresses, marked as automatic, with an id that stays', { skip }, async () => {
  await using smtp = await startTrialSmtp();
  const to = ['ops@example.com', 'second@example.com'];
  for (const _ of [1, 2]) assert.deepEqual(await send({ port: smtp.port }, { to }), { kind: 'sent' });
  const { mails } = await smtp.end();
  const [first, again] = mails;
  assert.equal(first?.from, 'waxwing@example.com');
  assert.deepEqual(first?.to, to);
  const [head = '', body = ''] = (first?.content ?? '').split('\r\n\r\n', 2);
  assert.match(head, /^From: Waxwing <waxwing@example\.com>$/m);
  assert.match(head, /^To: ops@example\.com, second@example\.com$/m);
  assert.match(head, /^Subject: \[Waxwing\] The certificate shop\.example\.com ends in 7 days\.$/m);
  assert.match(head, /^Message-ID: <delivery-1@example\.com>$/m);
  assert.match(head, /^Auto-Submitted: auto-generated$/m);
  assert.match(head, /^Content-Type: text\/plain; charset=utf-8$/m);
  assert.match(body, /^Waxwing$/m);
  assert.match(again?.content ?? '', /^Message-ID: <delivery-1@example\.com>$/m);
});

test('several notices are one mail, in any script, and no name makes another header', { skip }, async () => {
  await using smtp = await startTrialSmtp();
  const notices = [
    noticeOf({ subject: '证书 shop.example.com\r\nBcc: evil@example.com' }),
    noticeOf({ id: 'notice-2' }),
  ];
  assert.deepEqual(await send({ port: smtp.port }, { notices }), { kind: 'sent' });
  const { mails } = await smtp.end();
  assert.equal(mails.length, 1);
  const head = mails[0]?.content.split('\r\n\r\n', 1)[0] ?? '';
  assert.match(head, /^Subject: =\?UTF-8\?/m);
  assert.doesNotMatch(head, /^Bcc/im);
  assert.deepEqual(mails[0]?.to, ['ops@example.com']);
});

test('an address cannot smuggle in another one', { skip }, async () => {
  await using smtp = await startTrialSmtp();
  await send({ port: smtp.port }, { to: ['ops@example.com, evil@example.com'] });
  await send({ port: smtp.port }, { to: ['ops@example.com>\r\nRCPT TO:<evil@example.com'] });
  const { mails } = await smtp.end();
  assert.deepEqual(
    mails.flatMap(({ to }) => to).filter((address) => address === 'evil@example.com'),
    [],
  );
});

test('STARTTLS is used where it is offered, and the password goes through it', { skip }, async () => {
  await using smtp = await startTrialSmtp({ tls, account });
  const server = { port: smtp.port, user: account.user };
  assert.deepEqual(await send(server, { authorities: ca.certificatePem }), { kind: 'sent' });
  const [mail] = (await smtp.end()).mails;
  assert.deepEqual([mail?.tls, mail?.user], [true, account.user]);
});

test('TLS from the first byte works as well', { skip }, async () => {
  await using smtp = await startTrialSmtp({ tls: { ...tls, fromStart: true }, account });
  const server = { port: smtp.port, user: account.user, secure: true };
  assert.deepEqual(await send(server, { authorities: ca.certificatePem }), { kind: 'sent' });
  assert.equal((await smtp.end()).mails[0]?.user, account.user);
});

test('a certificate that is not trusted gets no password, whatever the environment says', { skip }, async () => {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    for (const secure of [false, true]) {
      await using smtp = await startTrialSmtp({ tls: { ...tls, fromStart: secure }, account });
      const result = await send({ port: smtp.port, user: account.user, secure });
      assert.ok(result.kind === 'refused' && result.retryable);
      assert.match(result.words, /mail server/);
      assert.deepEqual(await smtp.end(), { mails: [], passwords: [] });
    }
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
});

test('a password goes without encryption to this machine only', { skip }, async () => {
  await using smtp = await startTrialSmtp({ account });
  // To Linux it is this machine, to us an address like any other.
  const far = await send({ host: '0.0.0.0', port: smtp.port, user: account.user });
  assert.ok(far.kind === 'refused');
  assert.deepEqual(await send({ port: smtp.port, user: account.user }), { kind: 'sent' });
  assert.deepEqual((await smtp.end()).passwords, [password]);
});

test('STARTTLS that is offered and then refused ends the attempt', async () => {
  await using smtp = await startScriptedSmtp('220 mail.test ESMTP', (line) => {
    if (line.startsWith('EHLO')) return '250-mail.test\r\n250-AUTH PLAIN\r\n250 STARTTLS';
    return line === 'STARTTLS' ? '454 TLS not available due to a temporary reason' : '250 OK';
  });
  const result = await send({ port: smtp.port, user: account.user });
  assert.ok(result.kind === 'refused' && result.retryable);
  assert.ok(!smtp.lines.some((line) => /^(?:AUTH|MAIL)/.test(line)));
});

test('a wrong password is told in the words of the server, and may be tried again', { skip }, async () => {
  await using smtp = await startTrialSmtp({ account: { user: account.user, password: 'another' } });
  assert.deepEqual(await send({ port: smtp.port, user: account.user }), {
    kind: 'refused',
    words: '535 5.7.8 Authentication credentials invalid',
    retryable: true,
  });
  assert.deepEqual((await smtp.end()).passwords, [password]);
});

test('a server that repeats what it was sent puts no password into our words', async () => {
  await using smtp = await startScriptedSmtp('220 mail.test ESMTP', (line) => {
    if (line.startsWith('EHLO')) return '250-mail.test\r\n250 AUTH PLAIN LOGIN';
    return `535 what is ${line} or \u001b[2J${password}?`;
  });
  const result = await send({ port: smtp.port, user: account.user });
  assert.equal(result.kind === 'refused' && result.words, '535 what is AUTH PLAIN *** or [2J***?');
  assert.match(smtp.lines.join('\n'), /AUTH PLAIN \S{20}/);
});

test('a recipient that is refused is told, and whether it is for good', { skip }, async () => {
  const refuse = { 'gone@example.com': '550 5.1.1 No such user', 'busy@example.com': '450 4.2.1 Try later' };
  await using smtp = await startTrialSmtp({ refuse });
  assert.deepEqual(await send({ port: smtp.port }, { to: ['gone@example.com'] }), {
    kind: 'refused',
    words: '550 5.1.1 No such user',
    retryable: false,
  });
  assert.deepEqual(await send({ port: smtp.port }, { to: ['busy@example.com'] }), {
    kind: 'refused',
    words: '450 4.2.1 Try later',
    retryable: true,
  });
  assert.deepEqual(await send({ port: smtp.port }, { to: ['ops@example.com', 'gone@example.com'] }), {
    kind: 'refused',
    words: 'The mail went to 1 of 2 addresses. About another one the server said: 550 5.1.1 No such user',
    retryable: false,
  });
  const { mails } = await smtp.end();
  assert.deepEqual(
    mails.map(({ to }) => to),
    [['ops@example.com']],
  );
});

test('who was refused for the moment is tried again, and nobody else', { skip }, async () => {
  const refuse = { 'busy@example.com': '450 4.2.1 Try later' };
  const accepted: AcceptedMails = new Map();
  const to = ['ops@example.com', 'busy@example.com'];
  await using busy = await startTrialSmtp({ refuse });
  assert.deepEqual(await send({ port: busy.port }, { to, accepted }), {
    kind: 'refused',
    words: 'The mail went to 1 of 2 addresses. About another one the server said: 450 4.2.1 Try later',
    retryable: true,
  });
  await using ready = await startTrialSmtp();
  assert.deepEqual(await send({ port: ready.port }, { to, accepted }), { kind: 'sent' });
  const { mails } = await ready.end();
  assert.deepEqual(
    mails.map((mail) => mail.to),
    [['busy@example.com']],
  );
  assert.equal(accepted.size, 0);
});

test('a mail that is refused is told, and whether it is for good', { skip }, async () => {
  for (const [answer, retryable] of [
    ['554 5.7.1 Looks like spam', false],
    ['451 4.3.0 Out of disk', true],
  ] as const) {
    await using smtp = await startTrialSmtp({ answer });
    assert.deepEqual(await send({ port: smtp.port }), { kind: 'refused', words: answer, retryable });
  }
});

test('a server that hangs is given up when its time is over or the caller stops', async () => {
  for (const greeting of [undefined, '220 mail.test ESMTP']) {
    await using smtp = await startScriptedSmtp(greeting);
    assert.deepEqual(await send({ port: smtp.port }, { timeoutMs: 200 }), {
      kind: 'refused',
      words: 'The mail server did not take the mail in time.',
      retryable: true,
    });
    const until = AbortSignal.timeout(100);
    assert.deepEqual(await send({ port: smtp.port }, { until }), {
      kind: 'refused',
      words: 'The mail was cut off on our side.',
      retryable: true,
    });
  }
});

test('what is no mail server, nobody there, and what is not set up are told in our words', async () => {
  await using web = await startScriptedSmtp('HTTP/1.1 400 Bad Request');
  const noSmtp = await send({ port: web.port });
  assert.ok(noSmtp.kind === 'refused' && noSmtp.retryable);
  const closed = await startScriptedSmtp('220');
  await closed[Symbol.asyncDispose]();
  assert.deepEqual(await send({ port: closed.port }), {
    kind: 'refused',
    words: 'No connection to the mail server came about, or it broke off.',
    retryable: true,
  });
  const target = { kind: 'email', to: ['ops@example.com'] } as const;
  const unset = await sendMail(undefined, target, [noticeOf()], 'delivery-1', signal, new Map());
  assert.match(unset.kind === 'refused' ? unset.words : '', /WAXWING_SMTP_URL/);
  const unread = await send({ port: 1, user: 'a' }, { passwordFile: join(folder, 'absent') });
  assert.match(unread.kind === 'refused' ? unread.words : '', /WAXWING_SMTP_PASSWORD_FILE .*ENOENT/);
});

function send(
  server: Partial<MailSettings['server']> & { readonly port: number },
  options: {
    readonly to?: readonly string[];
    readonly notices?: readonly Notice[];
    readonly until?: AbortSignal;
    readonly timeoutMs?: number;
    readonly accepted?: AcceptedMails;
  } & Pick<Partial<MailSettings>, 'authorities' | 'passwordFile'> = {},
) {
  const {
    to = ['ops@example.com'],
    notices = [noticeOf()],
    until = signal,
    timeoutMs,
    accepted = new Map(),
    ...settings
  } = options;
  const mail: MailSettings = {
    server: { secure: false, host: '127.0.0.1', user: undefined, ...server },
    passwordFile: server.user === undefined ? undefined : passwordFile,
    from: 'Waxwing <waxwing@example.com>',
    ...settings,
  };
  return sendMail(mail, { kind: 'email', to }, notices, 'delivery-1', until, accepted, timeoutMs);
}
