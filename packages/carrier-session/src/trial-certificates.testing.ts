import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PEM. */
export interface TrialCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** A self-signed certificate, which is its own authority, made by OpenSSL. @param names `DNS:…` or `IP:…` */
export function trialCertificate(names: string): TrialCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-session-'));
  try {
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key.pem'];
    const content = ['-subj', '/CN=trial', '-days', '2', '-addext', `subjectAltName=${names}`, '-out', 'cert.pem'];
    execFileSync('openssl', ['req', '-x509', ...newKey, ...content], { cwd: folder, stdio: 'pipe' });
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    return { certificate: read('cert.pem'), key: read('key.pem') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Why to skip tests that need OpenSSL's command line, or false. Under CI they run, and fail without it. */
export const withoutTrialCertificates = ((): string | false => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'pipe' });
    return false;
  } catch {
    return process.env.CI === 'true' ? false : 'openssl is not installed';
  }
})();
