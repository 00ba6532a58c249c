import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { Log } from '../runtime/telemetry.ts';
import type { TlsMaterial } from './server.ts';

export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Polled instead of watched: a watch misses files that are replaced by rename or through a link, as agents do. */
const lookEveryMs = 2_000;

/** @throws Problem that names the setting, when the files cannot be read or are not a pair. */
export function readTlsFiles(files: TlsFiles): TlsMaterial {
  const material = {
    cert: readOrRefuse('WAXWING_TLS_CERTIFICATE', files.certificate),
    key: readOrRefuse('WAXWING_TLS_KEY', files.key),
  };
  try {
    createSecureContext(material);
  } catch (cause) {
    throw new Problem('invalid_parameter', {
      field: 'WAXWING_TLS_CERTIFICATE',
      detail: `${files.certificate} and ${files.key} are not a PEM certificate and its private key.`,
      cause,
    });
  }
  return material;
}

/** Leaves people time to act. An automatic renewal that works comes earlier. */
const warnBeforeMs = 14 * 86_400_000;

/** Whether the server's own certificate has expired at `now`, or will soon. */
export function expiryState(until: number, now: number): 'expired' | 'expiring' | undefined {
  if (until <= now) return 'expired';
  return until - now <= warnBeforeMs ? 'expiring' : undefined;
}

const expiryWarnings = {
  expired: 'own TLS certificate has expired',
  expiring: 'own TLS certificate expires soon',
} as const;

/**
 * Serves new connections with the present content of the files; a pair that is half replaced is left for the next look.
 * It warns of the end of the served certificate: once for each pair when it is near, and once when it is there.
 */
export function createTlsWatch(
  files: TlsFiles,
  initial: TlsMaterial,
  serve: (material: TlsMaterial) => void,
  log: Pick<Log, 'info' | 'warn'>,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
  clock: Pick<Clock, 'now'>,
): Worker {
  let served = initial;
  let until = endOf(initial);
  let warnedOf: ReturnType<typeof expiryState>;
  let complained = '';
  const tellEnd = (): void => {
    const end = expiryState(until.getTime(), clock.now());
    if (end !== undefined && end !== warnedOf) {
      log.warn({ certificate: files.certificate, until: until.toISOString() }, expiryWarnings[end]);
    }
    warnedOf = end;
  };
  return {
    name: 'tls-files',
    async run(signal) {
      for (;;) {
        tellEnd();
        await wait(lookEveryMs, signal);
        if (signal.aborted) return;
        try {
          const material = readTlsFiles(files);
          complained = '';
          if (same(material, served)) continue;
          const end = endOf(material);
          serve(material);
          served = material;
          until = end;
          warnedOf = undefined;
          log.info({ certificate: files.certificate }, 'own TLS certificate read again');
        } catch (error) {
          const message = (error as Error).message;
          if (message !== complained)
            log.warn({ err: error }, 'own TLS certificate kept: the new files are not usable');
          complained = message;
        }
      }
    },
  };
}

function endOf({ cert }: TlsMaterial): Date {
  return new X509Certificate(cert).validToDate;
}

function readOrRefuse(field: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Problem('invalid_parameter', {
      field,
      detail: `${file} cannot be read: ${(cause as Error).message}`,
      cause,
    });
  }
}

function same(left: TlsMaterial, right: TlsMaterial): boolean {
  return (
    Buffer.compare(Buffer.from(left.cert), Buffer.from(right.cert)) === 0 &&
    Buffer.compare(Buffer.from(left.key), Buffer.from(right.key)) === 0
  );
}
