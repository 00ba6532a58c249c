import type { Clock } from './clock.ts';
import type { Log } from './telemetry.ts';

type Method = 'info' | 'warn' | 'error';

/** The log for a source of many lines. */
export type LimitedLog = Record<Method, (fields: Record<string, unknown>, message: string) => void>;

const minute = 60_000;

/** So many lines show who else has the cause, and leave room for other causes. */
const linesPerCause = 10;

/** Each cause (message and error) gets a part of `perMinute`, with a stack only once. `suppressed` counts the rest. */
export function rateLimitedLog(log: Pick<Log, Method>, perMinute: number, clock: Clock): LimitedLog {
  let windowStart = clock.monotonic();
  let written = 0;
  let suppressed = 0;
  /** By cause, in this minute. No more causes than lines. */
  const ofCause = new Map<string, number>();

  function write(method: Method, fields: Record<string, unknown>, message: string): void {
    const now = clock.monotonic();
    if (now - windowStart >= minute) {
      windowStart = now;
      written = 0;
      ofCause.clear();
    }
    if (written >= perMinute) {
      suppressed += 1;
      return;
    }
    const cause = causeOf(fields, message);
    const earlier = ofCause.get(cause) ?? 0;
    if (earlier >= linesPerCause) {
      suppressed += 1;
      return;
    }
    ofCause.set(cause, earlier + 1);
    written += 1;
    const shown = earlier > 0 ? withoutStack(fields) : fields;
    log[method](suppressed > 0 ? { ...shown, suppressed } : shown, message);
    suppressed = 0;
  }

  return {
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  };
}

function causeOf({ err }: Record<string, unknown>, message: string): string {
  return err instanceof Error ? `${message} ${err.name} ${err.message}` : message;
}

function withoutStack(fields: Record<string, unknown>): Record<string, unknown> {
  const { err } = fields;
  return err instanceof Error ? { ...fields, err: { type: err.name, message: err.message } } : fields;
}
