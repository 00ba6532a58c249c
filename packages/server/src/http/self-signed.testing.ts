import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why tests that need a certificate cannot run here, or false. */
export const withoutOpenssl: string | false =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

export interface SelfSigned {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** A self-signed certificate for localhost with its own key, PEM; `name` is its common name. */
export function selfSigned(name: string): SelfSigned {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-self-signed-'));
  try {
    const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
