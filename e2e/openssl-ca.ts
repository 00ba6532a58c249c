import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from './world.ts';

/** A trial CA by the openssl command line: root, intermediate, and leaves of the intermediate. */
export interface OpensslCa {
  /** PEM file of the root. */
  readonly root: string;
  /** PEM file of the intermediate. */
  readonly intermediate: string;
  issue(
    file: string,
    names: readonly string[],
    days?: number,
  ): Promise<{ certificate: string; key: string; serial: string }>;
}

export async function makeOpensslCa(folder: string): Promise<OpensslCa> {
  const at = (name: string) => join(folder, name);
  const extensions = at('ca.ext');
  writeFileSync(extensions, 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n');
  await mustRun('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', '/CN=Story Root'],
    ...['-keyout', at('root.key'), '-out', at('root.crt')],
  ]);
  await mustRun('openssl', [
    ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=Story Intermediate'],
    ...['-keyout', at('intermediate.key'), '-out', at('intermediate.csr')],
  ]);
  await mustRun('openssl', [
    ...['x509', '-req', '-in', at('intermediate.csr'), '-CA', at('root.crt'), '-CAkey', at('root.key')],
    ...['-CAcreateserial', '-days', '20', '-extfile', extensions, '-out', at('intermediate.crt')],
  ]);
  return {
    root: at('root.crt'),
    intermediate: at('intermediate.crt'),
    async issue(file, names, days = 7) {
      const certificate = at(`${file}.crt`);
      const key = at(`${file}.key`);
      const request = at(`${file}.csr`);
      writeFileSync(at(`${file}.ext`), `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}\n`);
      await mustRun('openssl', [
        ...['req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${names[0]}`, '-keyout', key, '-out', request],
      ]);
      await mustRun('openssl', [
        ...['x509', '-req', '-in', request, '-CA', at('intermediate.crt'), '-CAkey', at('intermediate.key')],
        ...['-CAcreateserial', '-days', String(days), '-extfile', at(`${file}.ext`), '-out', certificate],
      ]);
      const serial = await mustRun('openssl', ['x509', '-noout', '-serial'], readFileSync(certificate, 'utf8'));
      return { certificate, key, serial: serial.trim().replace('serial=', '') };
    },
  };
}
