import { X509Certificate } from 'node:crypto';
import { readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { listenerVerdict } from '../config/listener-verdict.ts';
import type { Settings } from '../config/settings.ts';
import { loadKeyRing } from '../secrets/master-key-file.ts';
import { type Check, fail, messageOf, ok, warn } from './doctor-check.ts';

const mebibyte = 1024 * 1024;
const soonMs = 14 * 86_400_000;

/** Looks at what the settings name on this machine: folders, files, room, the listener. Changes nothing. */
export function inspectMachine(settings: Settings, now: number): readonly Check[] {
  return [
    ok('settings', 'All settings are accepted.'),
    checkFolder(settings),
    checkRoom(settings),
    ...checkMasterKey(settings),
    checkListener(settings),
    ...checkOwnTls(settings, now),
  ];
}

function checkFolder({ data }: Settings): Check {
  const stat = statSync(data, { throwIfNoEntry: false });
  const name = 'data_folder';
  if (stat === undefined) {
    return warn(name, `There is no ${data} yet.`, 'Start the server, or set WAXWING_DATA to where the data is.');
  }
  if (!stat.isDirectory()) return fail(name, `${data} is not a folder.`, 'Set WAXWING_DATA to a folder.');
  const mode = stat.mode & 0o777;
  if ((mode & 0o077) === 0) return ok(name, `${data} is its owner's alone.`);
  return warn(
    name,
    `${data} is open to other accounts (mode ${mode.toString(8).padStart(4, '0')}).`,
    `chmod 700 ${data}`,
  );
}

function checkRoom({ data }: Settings): Check {
  const name = 'disk_space';
  try {
    const { bavail, bsize } = statfsSync(data);
    const free = Math.floor((bavail * bsize) / mebibyte);
    const message = `${free} MiB are free for ${data}.`;
    const remedy = 'Make room there: without it nothing can be recorded, and then nothing is handed out.';
    if (free < 100) return fail(name, message, remedy);
    return free < 1024 ? warn(name, message, remedy) : ok(name, message);
  } catch (error) {
    return warn(name, `The free space could not be read: ${messageOf(error)}.`, 'See whether WAXWING_DATA exists.');
  }
}

function checkMasterKey({ masterKeyFile, data, databaseUrl }: Settings): Check[] {
  const name = 'master_key';
  try {
    const { keys } = loadKeyRing(masterKeyFile);
    const checks = [ok(name, `${masterKeyFile} holds ${keys.length} key(s), and its owner alone may read it.`)];
    if (databaseUrl !== undefined || dirname(masterKeyFile) !== data) return checks;
    return [
      ...checks,
      warn(
        'master_key_place',
        'The master key lies in the folder of the database: whoever copies the folder has both.',
        'Move it to another folder, which backups of the database leave out, and name it in WAXWING_MASTER_KEY_FILE.',
      ),
    ];
  } catch (error) {
    const remedy = 'Restore it from your copy; a new instance makes one when it starts.';
    return [fail(name, messageOf(error), remedy)];
  }
}

function checkListener(settings: Settings): Check {
  const verdict = listenerVerdict(settings);
  const { host, port } = settings.listen;
  if (!verdict.allowed) return fail('listener', 'The server would not start on WAXWING_LISTEN.', verdict.message);
  if (verdict.because === 'plain http allowed') {
    return warn(
      'listener',
      `${host} port ${port} takes requests from the network without TLS: private keys travel in the clear.`,
      'Set WAXWING_TLS_CERTIFICATE and WAXWING_TLS_KEY.',
    );
  }
  return ok('listener', `${host} port ${port} may be listened on (${verdict.because}).`);
}

function checkOwnTls({ tlsCertificate, tlsKey }: Settings, now: number): Check[] {
  if (tlsCertificate === undefined || tlsKey === undefined) return [];
  const name = 'own_tls';
  try {
    const { validToDate } = new X509Certificate(readFileSync(tlsCertificate));
    const message = `The own certificate in ${tlsCertificate} is valid until ${validToDate.toISOString()}.`;
    const remedy = `Renew ${tlsCertificate}; it is read again by itself.`;
    if (validToDate.getTime() <= now) return [fail(name, message, remedy)];
    const checks = [validToDate.getTime() - now <= soonMs ? warn(name, message, remedy) : ok(name, message)];
    if ((statSync(tlsKey).mode & 0o007) !== 0) {
      checks.push(warn(name, `Every account may read ${tlsKey}.`, `chmod 600 ${tlsKey}`));
    }
    return checks;
  } catch (error) {
    return [
      fail(
        name,
        `The own certificate cannot be used: ${messageOf(error)}.`,
        'Correct WAXWING_TLS_CERTIFICATE and WAXWING_TLS_KEY.',
      ),
    ];
  }
}
