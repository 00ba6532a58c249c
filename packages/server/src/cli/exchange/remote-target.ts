import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../../config/load-settings.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { parseToken } from '../../secrets/token.ts';
import { type Arguments, Usage } from '../command.ts';
import { printWarning } from '../error-report.ts';
import { codeOf } from '../person-files.ts';
import { readSecret } from '../read-password.ts';
import type { Terminal } from '../terminal.ts';

/** The server that a command line speaks to, and by what right. */
export interface RemoteTarget {
  /** Its origin: `https://waxwing.example.com`. */
  readonly url: string;
  readonly token: SecretText;
  /** PEM: an authority that is trusted besides those of the system. */
  readonly ca: string | undefined;
}

interface Caller {
  readonly args: Arguments;
  readonly terminal: Terminal;
  /** With what `--env-file` adds. */
  readonly environment: Environment;
  /** Whether a key may go over the network unencrypted: WAXWING_PLAIN_HTTP. */
  readonly allowsPlainHttp: boolean;
}

/** Whether the command line names a server, by `--server` or WAXWING_SERVER. */
export function namesServer({ args, environment }: Pick<Caller, 'args' | 'environment'>): boolean {
  return given(args.optional('server'), environment.WAXWING_SERVER) !== undefined;
}

/** @throws Usage when the address or the key is missing or not usable */
export async function remoteTarget(caller: Caller): Promise<RemoteTarget> {
  const { args, terminal, environment } = caller;
  const url = originOf(given(args.optional('server'), environment.WAXWING_SERVER) ?? '', caller.allowsPlainHttp);
  const file = given(args.optional('token-file'), environment.WAXWING_TOKEN_FILE);
  if (file === undefined) {
    throw new Usage('Say where the management key is: --token-file FILE, or "-" for stdin (WAXWING_TOKEN_FILE).');
  }
  const token = file === '-' ? await readStdin(args, terminal) : readTokenFile(resolve(terminal.folder, file), caller);
  if (parseToken(token)?.kind !== 'management') throw new Usage('--token-file holds no management key (wxa_…).');
  const ca = given(environment.WAXWING_CA_FILE);
  return {
    url,
    token: new SecretText(token),
    ca: ca === undefined ? undefined : readText(resolve(terminal.folder, ca), 'WAXWING_CA_FILE'),
  };
}

function given(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined && text.trim() !== '')?.trim();
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function originOf(text: string, allowsPlainHttp: boolean): string {
  const url = URL.parse(text);
  const isOrigin = url !== null && `${url.origin}/` === url.href && /^https?:$/.test(url.protocol);
  if (!isOrigin) throw new Usage('--server must be an address such as https://waxwing.example.com, without a path.');
  if (url.protocol === 'http:' && !allowsPlainHttp && !loopback.test(url.hostname)) {
    throw new Usage('--server must be an https address: over plain http everybody on the way reads the key.');
  }
  return url.origin;
}

function readStdin(args: Arguments, terminal: Terminal): Promise<string> {
  if (args.flag('password-stdin') || args.optional('secret') === '-') {
    throw new Usage('Stdin can hold the management key or the other secret, not both: give --token-file a file.');
  }
  return readSecret(terminal, 'token-file');
}

const readByOthers = 0o004;

function readTokenFile(path: string, { args, terminal }: Caller): string {
  const text = readText(path, '--token-file');
  if ((statSync(path).mode & readByOthers) !== 0) {
    const warning = `every account of this machine can read ${path}: chmod 600 is better.`;
    terminal.stderr.write(`${printWarning(warning, args.flag('json'))}\n`);
  }
  return text.trim();
}

function readText(path: string, option: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Usage(`${option}: ${path} cannot be read (${codeOf(error)}).`);
  }
}
