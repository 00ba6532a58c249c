import { readPem } from './der/pem.ts';
import { Unreadable } from './der/unreadable.ts';
import { readX509, subjectOf, type X509 } from './x509.ts';

/** Authorities that are known before anything is imported: the roots of the machine, and what its operator added. */
export interface KnownAuthorities {
  /** The authorities with this subject, in its comparable form. */
  named(subject: string): readonly KnownAuthority[];
}

export interface KnownAuthority {
  readonly certificate: X509;
  /** Self-signed. The others are intermediates. */
  readonly isRoot: boolean;
}

export const noKnownAuthorities: KnownAuthorities = { named: () => [] };

/**
 * Reads nothing before the first question, then only the subjects, and a certificate when its subject is asked for: of
 * a machine's hundred and fifty roots few are ever needed. A certificate that cannot be read is passed over.
 * @param read PEM text of any number of certificates, or DER of one
 */
export function createKnownAuthorities(read: () => readonly (string | Uint8Array)[]): KnownAuthorities {
  let unread: Map<string, Buffer[]> | undefined;
  const known = new Map<string, readonly KnownAuthority[]>();
  return {
    named(subject) {
      unread ??= bySubject(read());
      const found = known.get(subject) ?? distinct(unread.get(subject) ?? []);
      if (found.length > 0) known.set(subject, found);
      return found;
    },
  };
}

function bySubject(given: readonly (string | Uint8Array)[]): Map<string, Buffer[]> {
  const found = new Map<string, Buffer[]>();
  // A machine's store may list each root several times.
  const ders = [...new Set(given)].flatMap((one) =>
    typeof one === 'string'
      ? readPem(one, Number.POSITIVE_INFINITY).blocks.map(({ bytes }) => bytes)
      : [Buffer.from(one)],
  );
  for (const der of ders) {
    const subject = readable(() => subjectOf(der));
    if (subject === undefined) continue;
    const same = found.get(subject);
    if (same === undefined) found.set(subject, [der]);
    else same.push(der);
  }
  return found;
}

function distinct(ders: readonly Buffer[]): KnownAuthority[] {
  const certificates = ders.map((der) => readable(() => readX509(der))).filter((one) => one !== undefined);
  return [...new Map(certificates.map((one) => [one.fingerprint, one])).values()].map((certificate) => ({
    certificate,
    isRoot: certificate.subject.comparable === certificate.issuer.comparable && certificate.isSignedBy(certificate),
  }));
}

function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
