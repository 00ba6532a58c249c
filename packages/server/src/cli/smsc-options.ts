import { dirname, resolve } from 'node:path';
import { parseScript } from '@waxwing/smsc/parse-script.ts';
import type { SmscOptions } from '@waxwing/smsc/run-smsc.ts';
import { type SmscProtocolName, smscProtocols } from '@waxwing/smsc/smsc-protocol.ts';
import { plainScript, type ScriptTls, type SmscScript } from '@waxwing/smsc/smsc-script.ts';
import { InvalidSetting, listenAddress } from '../config/setting-kinds.ts';
import { Problem } from '../runtime/problem.ts';
import { type Arguments, Usage } from './command.ts';
import { oneOf } from './option-values.ts';
import { readFiles, readSecret } from './person-files.ts';

/** What a person says of a simulated carrier on the command line. */
export type SaidOfSmsc = Pick<SmscOptions, 'protocol' | 'listen' | 'account' | 'script' | 'tls' | 'seed'>;

/** The room of a bind: system_id and password of SMPP (3.4 §4.1), Source_Addr of CMPP. The secret of CMPP is hashed. */
const room: Readonly<Record<SmscProtocolName, { readonly account: number; readonly password: number }>> = {
  smpp: { account: 15, password: 8 },
  cmpp2: { account: 6, password: 255 },
  cmpp3: { account: 6, password: 255 },
};
const scriptBytes = 1024 * 1024;
const limitedBy = 'a script or a certificate has';

/** @param folder where relative paths start @throws Usage, or Problem `invalid_parameter` that names each fault */
export function smscOptions(args: Arguments, folder: string): SaidOfSmsc {
  const protocol = oneOf('protocol', args.optional('protocol') ?? 'smpp', smscProtocols);
  const listen = readListen(args.required('listen'));
  const account = readAccount(args, protocol, folder);
  const path = args.optional('script');
  const script = path === undefined ? plainScript : readScript(resolve(folder, path), protocol);
  const scriptFolder = path === undefined ? folder : dirname(resolve(folder, path));
  return {
    protocol,
    listen,
    account,
    script,
    tls: readTls(script.tls, scriptFolder),
    seed: args.optional('seed') ?? '',
  };
}

function readListen(text: string): SmscOptions['listen'] {
  try {
    return listenAddress.parse(text, '');
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error;
    throw new Usage(`--listen ${error.message.replaceAll(':8080', ':2775')}.`);
  }
}

function readAccount(args: Arguments, protocol: SmscProtocolName, folder: string): SmscOptions['account'] {
  const id = args.required('account');
  const password = readSecret('password-file', args.required('password-file'), folder) ?? '';
  checkRoom('account', id, room[protocol].account, protocol);
  checkRoom('password-file', password, room[protocol].password, protocol);
  return { id, password };
}

/** A client could not send it. The text is not repeated, because it may be a secret. */
function checkRoom(field: string, text: string, most: number, protocol: SmscProtocolName): void {
  if (/^[!-~]*$/.test(text) && text.length >= 1 && text.length <= most) return;
  const what = field === 'account' ? `--${field}` : 'The password';
  throw new Problem('invalid_parameter', {
    field,
    detail: `${what} must have 1 to ${most} visible ASCII characters: a bind of ${protocol} has room for no others.`,
  });
}

function readScript(path: string, protocol: SmscProtocolName): SmscScript {
  const [file] = readFiles('script', [path], scriptBytes, limitedBy);
  const { script, faults } = parseScript(file?.bytes.toString() ?? '', protocol);
  if (script !== undefined) return script;
  const named = faults.map(({ field, message }) => ({ field: field === '' ? 'script' : field, message }));
  throw new Problem('invalid_parameter', {
    field: 'script',
    detail: `The script ${path} was not accepted.`,
    faults: named,
  });
}

/** @param folder of the script, where its paths start */
function readTls(tls: ScriptTls | undefined, folder: string): SmscOptions['tls'] {
  if (tls === undefined) return undefined;
  const read = (field: string, path: string) => {
    const [file] = readFiles(`script: tls.${field}`, [resolve(folder, path)], scriptBytes, limitedBy);
    return file?.bytes.toString() ?? '';
  };
  const { certificate, key, clientAuthorities } = tls;
  return {
    certificate: read('certificate', certificate),
    key: read('key', key),
    clientAuthorities: clientAuthorities === undefined ? undefined : read('client_authorities', clientAuthorities),
  };
}
