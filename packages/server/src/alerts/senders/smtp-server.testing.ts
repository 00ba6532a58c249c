import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** Debian's own, which has aiosmtpd when `scripts/setup-debian.sh` has run. */
const python = '/usr/bin/python3';

/** Why to skip tests that need a real mail server, or false. Under CI they run, and fail without it. */
export const withoutSmtp = ((): string | false => {
  if (spawnSync(python, ['-c', 'import aiosmtpd']).status === 0) return false;
  return process.env.CI === 'true' ? false : 'aiosmtpd is missing (Debian: bash scripts/setup-debian.sh)';
})();

export interface SmtpOptions {
  /** Files of a certificate and its key; with them the server offers STARTTLS, or speaks TLS from the start. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly fromStart?: boolean };
  /** The account that must sign in before a mail is taken. */
  readonly account?: { readonly user: string; readonly password: string };
  /** The answer to a recipient. */
  readonly refuse?: Readonly<Record<string, string>>;
  /** The answer to a mail. */
  readonly answer?: string;
}

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly tls: boolean;
  readonly user: string | null;
  readonly content: string;
}

export interface TrialSmtp extends AsyncDisposable {
  readonly port: number;
  /** Stops it, and tells what came. */
  end(): Promise<{ readonly mails: readonly TakenMail[]; readonly passwords: readonly string[] }>;
}

const program = `
import asyncio, json, ssl, sys
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

options = json.loads(sys.argv[1])
account = options.get("account")
tls = options.get("tls")

def say(event, **facts):
    print(json.dumps({"event": event, **facts}), flush=True)

def authenticate(server, session, envelope, mechanism, data):
    user, password = data.login.decode(), data.password.decode()
    say("password", password=password)
    right = user == account["user"] and password == account["password"]
    return AuthResult(success=right, handled=False, auth_data=user)

class Handler:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        refusal = options.get("refuse", {}).get(address)
        if refusal:
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        answer = options.get("answer", "250 OK queued")
        if answer.startswith("2"):
            mail = {"from": envelope.mail_from, "to": envelope.rcpt_tos, "content": envelope.content.decode()}
            say("mail", mail={**mail, "tls": session.ssl is not None or bool(tls and tls.get("fromStart")), "user": session.auth_data})
        return answer

async def main():
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls["certificate"], tls["key"])
    from_start = bool(tls and tls.get("fromStart"))
    def protocol():
        return SMTP(
            Handler(), hostname="mail.test", enable_SMTPUTF8=True,
            tls_context=None if from_start else context,
            authenticator=authenticate if account else None,
            auth_required=bool(account), auth_require_tls=False,
        )
    loop = asyncio.get_running_loop()
    server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=context if from_start else None)
    say("listening", port=server.sockets[0].getsockname()[1])
    await server.serve_forever()

asyncio.run(main())
`;

/** A real mail server (aiosmtpd) on loopback. */
export async function startTrialSmtp(options: SmtpOptions = {}): Promise<TrialSmtp> {
  const child = spawn(python, ['-c', program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'pipe'] });
  // When all that it said was read.
  const closed = once(child, 'close');
  const errors: string[] = [];
  child.stderr.on('data', (chunk) => errors.push(`${chunk}`));
  const listening = Promise.withResolvers<number>();
  const mails: TakenMail[] = [];
  const passwords: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    const said = JSON.parse(line);
    if (said.event === 'listening') listening.resolve(said.port);
    if (said.event === 'mail') mails.push(said.mail);
    if (said.event === 'password') passwords.push(said.password);
  });
  void closed.then(() => listening.reject(new Error(`the mail server ended: ${errors.join('')}`)));
  const end = async () => {
    child.kill();
    await closed;
    return { mails, passwords };
  };
  return {
    port: await listening.promise,
    end,
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
}

/** A server that says what a test wants: its greeting, and an answer to each line. Without an answer it is silent. */
export async function startScriptedSmtp(
  greeting: string | undefined,
  answerTo: (line: string) => string | undefined = () => undefined,
): Promise<{ readonly port: number; readonly lines: readonly string[] } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const lines: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (greeting !== undefined) socket.write(`${greeting}\r\n`);
    createInterface(socket).on('line', (line) => {
      lines.push(line);
      const answer = answerTo(line);
      if (answer !== undefined) socket.write(`${answer}\r\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
