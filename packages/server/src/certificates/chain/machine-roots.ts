import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { createKnownAuthorities, type KnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import { readCertificates } from '@waxwing/pki/x509.ts';
import { Problem } from '../../runtime/problem.ts';

/**
 * The roots that this machine trusts, or else those that come with Node. They are read when they are first asked for.
 * @param extra PEM of more authorities, if any
 */
export function machineRoots(extra = ''): KnownAuthorities {
  return createKnownAuthorities(() => trustedRoots(extra));
}

/** The same roots as texts of PEM. */
export function trustedRoots(extra = ''): string[] {
  const own = getCACertificates('system');
  return [...(own.length > 0 ? own : getCACertificates('bundled')), extra].filter((pem) => pem !== '');
}

/** The authorities in a PEM file that the operator names. @throws Problem that names the setting */
export function readExtraRoots(file: string): string {
  const refuse = (detail: string, cause?: unknown) =>
    new Problem('invalid_parameter', {
      field: 'WAXWING_EXTRA_ROOTS',
      detail: `WAXWING_EXTRA_ROOTS names ${file}, which ${detail}`,
      cause,
    });
  let text: string;
  try {
    text = readFileSync(file, 'latin1');
  } catch (cause) {
    throw refuse(`cannot be read (${(cause as NodeJS.ErrnoException).code ?? String(cause)}).`, cause);
  }
  let count: number;
  try {
    count = readCertificates(text).length;
  } catch (cause) {
    throw refuse(`has a certificate that cannot be read: ${(cause as Error).message}`, cause);
  }
  if (count === 0) throw refuse('has no certificate. It must be a PEM file of certificates.');
  return text;
}
