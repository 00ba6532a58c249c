import { type Logger, pino } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from './clock.ts';
import { toRfc3339 } from './clock.ts';
import { boundLine, toTextLine } from './log-line.ts';
import { redactFields, scrubSecrets } from './redaction.ts';

/**
 * The log. One wide line per outcome: `log.info({ deployment, status }, 'certificate handed out')`. Secrets are masked.
 */
export type Log = Logger;

type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** `process.stdout`, or a collector of text. */
export interface LogStream {
  /** @param done receives the error of a line that could not be written */
  write(text: string, done: (error?: Error | null) => void): unknown;
  readonly isTTY?: boolean | undefined;
  /** Characters in its buffer; undefined without one. */
  readonly writableLength?: number | undefined;
}

interface TelemetryOptions {
  readonly level: LogLevel;
  /** `auto` is text on a terminal and JSON elsewhere. */
  readonly format: 'auto' | 'json' | 'text';
  readonly stream: LogStream;
  readonly clock: Clock;
  readonly version: string;
}

export interface Telemetry {
  readonly log: Log;
  /** The registry of every metric, served in Prometheus' text format. */
  readonly metrics: Registry;
}

/** A stopped reader may hold back this much. Further lines are dropped and counted. */
const mostWaiting = 4 * 1024 * 1024;

/** Masks fields by their names at any depth, and then the whole line by the forms of secrets. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const build = new Gauge({
    name: 'waxwing_build_info',
    help: 'Always 1. The labels name the version.',
    labelNames: ['version', 'node'],
    registers: [metrics],
  });
  build.set({ version: options.version, node: process.versions.node }, 1);
  const dropped = new Counter({
    name: 'waxwing_log_lines_dropped_total',
    help: 'Log lines dropped because their reader was too slow, or because they could not be written.',
    registers: [metrics],
  });
  return { log: createLog(options, () => dropped.inc()), metrics };
}

/** Whether lines are for people; else JSON. */
export function isText(format: TelemetryOptions['format'], { isTTY }: Pick<LogStream, 'isTTY'>): boolean {
  return format === 'text' || (format === 'auto' && isTTY === true);
}

function createLog({ level, format, stream, clock }: TelemetryOptions, onDropped: () => void): Log {
  const asText = isText(format, stream);
  const destination = {
    write(line: string): void {
      if ((stream.writableLength ?? 0) > mostWaiting) {
        onDropped();
        return;
      }
      const safe = boundLine(scrubSecrets(line.trimEnd()));
      stream.write(`${asText ? toTextLine(safe) : safe}\n`, (error) => {
        if (error) onDropped();
      });
    },
  };
  const allStacks = level === 'debug' || level === 'trace';
  const redact = (fields: Record<string, unknown>) => redactFields(fields, allStacks);
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${toRfc3339(clock.now())}"`,
      formatters: { level: (label) => ({ level: label }), log: redact },
      // redactFields has made errors plain objects.
      serializers: { err: (error: unknown) => error },
    },
    destination,
  );
  return withRedactedBindings(log, redact);
}

/** pino passes bound fields to no formatter of children. Children inherit this method. */
function withRedactedBindings(log: Log, redact: typeof redactFields): Log {
  const { child } = log;
  log.child = function (this: Log, bindings, options) {
    return child.call(this, redact(bindings), options) as ReturnType<typeof child>;
  } as typeof child;
  return log;
}
