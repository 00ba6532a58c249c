import type { Clock } from './clock.ts';
import type { Log } from './telemetry.ts';

type Method = 'info' | 'warn' | 'error';

/** The part of the log that a source of many lines may use. */
export type LimitedLog = Record<Method, (fields: Record<string, unknown>, message: string) => void>;

const minute = 60_000;

/**
 * A log that writes at most `perMinute` lines a minute, for lines that strangers can cause at will: no flood of theirs
 * fills the disk. What was left out is counted in `suppressed` on the first line of a later minute.
 */
export function rateLimitedLog(log: Pick<Log, Method>, perMinute: number, clock: Clock): LimitedLog {
  let windowStart = clock.monotonic();
  let written = 0;
  let suppressed = 0;

  function write(method: Method, fields: Record<string, unknown>, message: string): void {
    const now = clock.monotonic();
    if (now - windowStart >= minute) {
      windowStart = now;
      written = 0;
    }
    if (written >= perMinute) {
      suppressed += 1;
      return;
    }
    written += 1;
    log[method](suppressed > 0 ? { ...fields, suppressed } : fields, message);
    suppressed = 0;
  }

  return {
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  };
}
