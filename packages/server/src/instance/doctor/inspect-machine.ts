import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { databaseFile } from '../../compose.ts';
import { listenerVerdict } from '../../config/listener-verdict.ts';
import type { Settings } from '../../config/settings.ts';
import { movedOrphansOf, orphansOf } from '../../database/sqlite/orphaned-log.ts';
import { type StorageFault, storageFault } from '../../database/sqlite/storage-fault.ts';
import { expiryState, readTlsFiles } from '../../http/tls-files.ts';
import { Problem } from '../../runtime/problem.ts';
import { loadKeyRing } from '../../secrets/master-key-file.ts';
import { type Check, fail, messageOf, ok, warn } from './doctor-check.ts';

const mebibyte = 1024 * 1024;

/** Looks at what the settings name on this machine: folders, files, room, the listener. Changes nothing. */
export function inspectMachine(settings: Settings, now: number): readonly Check[] {
  return [
    ok('settings', 'settings_accepted', {}, 'All settings are accepted.'),
    checkFolder(settings),
    checkRoom(settings),
    ...checkOrphans(settings),
    ...checkMasterKey(settings),
    checkListener(settings),
    ...checkOwnTls(settings, now),
  ];
}

function checkFolder({ data }: Settings): Check {
  const stat = statSync(data, { throwIfNoEntry: false });
  const name = 'data_folder';
  if (stat === undefined) {
    const remedy = 'Start the server, or set WAXWING_DATA to where the data is.';
    return warn(name, 'data_folder_missing', { folder: data }, `There is no ${data} yet.`, remedy);
  }
  if (!stat.isDirectory()) {
    const message = `${data} is not a folder.`;
    return fail(name, 'data_folder_not_a_folder', { folder: data }, message, 'Set WAXWING_DATA to a folder.');
  }
  const fault = writeFault(data);
  if (fault !== undefined) {
    const message = `${data} cannot be used: ${fault.reason}.`;
    const remedy = 'Make it writable for the account that runs the server, or set WAXWING_DATA to another folder.';
    return fail(name, 'data_folder_not_writable', { folder: data, fault: fault.reason }, message, remedy);
  }
  if ((stat.mode & 0o077) === 0) {
    return ok(name, 'data_folder_private', { folder: data }, `${data} is its owner's alone.`);
  }
  const mode = modeText(stat.mode);
  const message = `${data} is open to other accounts (mode ${mode}).`;
  return warn(name, 'data_folder_open_to_others', { folder: data, mode }, message, `chmod 700 ${data}`);
}

/** Looks alone: an attempt would leave something there. */
function writeFault(folder: string): StorageFault | undefined {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return storageFault(folder, error);
  }
}

function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

function checkRoom({ data }: Settings): Check {
  const name = 'disk_space';
  try {
    const { bavail, bsize } = statfsSync(data);
    const free = Math.floor((bavail * bsize) / mebibyte);
    const found = { mebibytes: free, folder: data };
    const message = `${free} MiB are free for ${data}.`;
    const remedy = 'Make room there: without it nothing can be recorded, and then nothing is handed out.';
    if (free < 100) return fail(name, 'disk_space_short', found, message, remedy);
    if (free < 1024) return warn(name, 'disk_space_short', found, message, remedy);
    return ok(name, 'disk_space_enough', found, message);
  } catch (error) {
    const fault = messageOf(error);
    const message = `The free space could not be read: ${fault}.`;
    return warn(name, 'disk_space_unknown', { fault }, message, 'See whether WAXWING_DATA exists.');
  }
}

/** What belongs to a database that is gone, in its place or moved aside by a start. */
function checkOrphans(settings: Settings): Check[] {
  if (settings.databaseUrl !== undefined) return [];
  const file = databaseFile(settings);
  const orphans = [...orphansOf(file), ...movedOrphansOf(file)];
  if (orphans.length === 0) return [];
  const files = orphans.join(', ');
  const message = `A write-ahead log without its database may hold the whole of it: ${files}.`;
  const remedy = 'Copy it to another folder before you do anything else; remove it when nothing is missing.';
  return [warn('database_log', 'database_log_orphaned', { files }, message, remedy)];
}

function checkMasterKey(settings: Settings): Check[] {
  const { masterKeyFile, data, databaseUrl } = settings;
  const name = 'master_key';
  try {
    const { keys } = loadKeyRing(masterKeyFile);
    const message = `${masterKeyFile} holds ${keys.length} key(s), and its owner alone may read it.`;
    const checks = [ok(name, 'master_key_readable', { file: masterKeyFile, keys: keys.length }, message)];
    if (databaseUrl !== undefined || dirname(masterKeyFile) !== data) return checks;
    return [
      ...checks,
      warn(
        'master_key_place',
        'master_key_beside_database',
        {},
        'The master key lies in the folder of the database: whoever copies the folder has both.',
        'Move it to another folder, which backups of the database leave out, and name it in WAXWING_MASTER_KEY_FILE.',
      ),
    ];
  } catch (error) {
    return [judgeKeyFault(name, settings, error)];
  }
}

function judgeKeyFault(name: string, settings: Settings, error: unknown): Check {
  const file = settings.masterKeyFile;
  const fault = messageOf(error);
  if (error instanceof Problem && error.code === 'not_found') {
    const state = isBeforeFirstStart(settings) ? warn : fail;
    const remedy = 'Restore it from your copy; a new instance makes one when it starts.';
    return state(name, 'master_key_missing', { file }, fault, remedy);
  }
  // What the system says of the file: then nothing is known of the key in it.
  if (error instanceof Error && error.cause !== undefined) {
    const remedy = 'See that the account that runs the server may read it.';
    return fail(name, 'master_key_unreadable', { fault }, fault, remedy);
  }
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() === true && (stat.mode & 0o077) !== 0 && process.platform !== 'win32') {
    const mode = modeText(stat.mode);
    const message = `${file} is open to others than its owner (mode ${mode}), so it is not used.`;
    return fail(name, 'master_key_open_to_others', { file, mode }, message, `chmod 600 ${file}`);
  }
  return fail(name, 'master_key_unusable', { fault }, fault, 'Restore it from your copy.');
}

/** Another server may have filled a PostgreSQL already, and then the key is to be copied from there. */
function isBeforeFirstStart(settings: Settings): boolean {
  return settings.databaseUrl === undefined && !existsSync(databaseFile(settings));
}

const allowedListeners = {
  loopback: 'listener_on_loopback',
  tls: 'listener_with_tls',
  'trusted proxies': 'listener_behind_trusted_proxies',
} as const;

function checkListener(settings: Settings): Check {
  const verdict = listenerVerdict(settings);
  const { host, port } = settings.listen;
  const name = 'listener';
  if (!verdict.allowed) {
    const message = 'The server would not start on WAXWING_LISTEN.';
    return fail(name, 'listener_refused', { host }, message, verdict.message);
  }
  if (verdict.because === 'plain http allowed') {
    return warn(
      name,
      'listener_plain_http',
      { host, port },
      `${host} port ${port} takes requests from the network without TLS: private keys travel in the clear.`,
      'Set WAXWING_TLS_CERTIFICATE and WAXWING_TLS_KEY.',
    );
  }
  const message = `${host} port ${port} may be listened on (${verdict.because}).`;
  return ok(name, allowedListeners[verdict.because], { host, port }, message);
}

function checkOwnTls({ tlsCertificate, tlsKey }: Settings, now: number): Check[] {
  if (tlsCertificate === undefined || tlsKey === undefined) return [];
  const name = 'own_tls';
  try {
    const { cert } = readTlsFiles({ certificate: tlsCertificate, key: tlsKey });
    const { validToDate } = new X509Certificate(cert);
    const found = { file: tlsCertificate, until: validToDate.toISOString() };
    const message = `The own certificate in ${tlsCertificate} is valid until ${found.until}.`;
    const remedy = `Renew ${tlsCertificate}; it is read again by itself.`;
    const end = expiryState(validToDate.getTime(), now);
    if (end === 'expired') return [fail(name, 'own_certificate_expired', found, message, remedy)];
    const checks = [
      end === 'expiring'
        ? warn(name, 'own_certificate_expiring', found, message, remedy)
        : ok(name, 'own_certificate_valid', found, message),
    ];
    if ((statSync(tlsKey).mode & 0o007) !== 0) {
      const readable = `Every account may read ${tlsKey}.`;
      checks.push(warn(name, 'own_key_open_to_others', { file: tlsKey }, readable, `chmod 600 ${tlsKey}`));
    }
    return checks;
  } catch (error) {
    const fault = messageOf(error);
    const message = `The own certificate cannot be used: ${fault}.`;
    const remedy = 'Correct WAXWING_TLS_CERTIFICATE and WAXWING_TLS_KEY.';
    return [fail(name, 'own_certificate_unusable', { fault }, message, remedy)];
  }
}
