import { type Logger, pino } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from './clock.ts';
import { toRfc3339 } from './clock.ts';
import { boundLine, toTextLine } from './log-line.ts';
import { redactFields, scrubSecrets } from './redaction.ts';

/**
 * The log. One wide line per outcome: `log.info({ deployment, status }, 'certificate handed out')`.
 * Whatever is passed, no secret is written: see {@link createTelemetry}.
 */
export type Log = Logger;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Where log lines go: `process.stdout`, or anything that collects text. */
export interface LogStream {
  /** @param done hears of the error of a line that could not be written */
  write(text: string, done: (error?: Error | null) => void): unknown;
  readonly isTTY?: boolean | undefined;
  /** Characters that wait to be written; undefined when the stream never waits. */
  readonly writableLength?: number | undefined;
}

export interface TelemetryOptions {
  readonly level: LogLevel;
  /** `auto` is text on a terminal and JSON elsewhere. */
  readonly format: 'auto' | 'json' | 'text';
  readonly stream: LogStream;
  readonly clock: Clock;
  readonly version: string;
}

export interface Telemetry {
  readonly log: Log;
  /** Every metric of this process is registered here; served in the text format of Prometheus. */
  readonly metrics: Registry;
}

/** A reader of the log that has stopped reading may hold back this much; lines beyond it are dropped and counted. */
const mostWaiting = 4 * 1024 * 1024;

/**
 * Makes the log and the metrics of one process. On its way out each line is masked twice: fields by their names at any
 * depth (including bound fields and errors), then the whole line by the forms of tokens and private keys, so that also
 * a text that somebody composed by hand shows none. Lines are at most 8 KiB.
 */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const build = new Gauge({
    name: 'waxwing_build_info',
    help: 'Always 1; the labels tell what runs.',
    labelNames: ['version', 'node'],
    registers: [metrics],
  });
  build.set({ version: options.version, node: process.versions.node }, 1);
  const dropped = new Counter({
    name: 'waxwing_log_lines_dropped_total',
    help: 'Log lines that were dropped because their reader did not keep up, or because they could not be written.',
    registers: [metrics],
  });
  return { log: createLog(options, () => dropped.inc()), metrics };
}

/** Whether what is written to the stream is for people; else it is JSON, line by line. */
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
      // Errors are already plain objects here, made by redactFields.
      serializers: { err: (error: unknown) => error },
    },
    destination,
  );
  return withRedactedBindings(log, redact);
}

/** Bound fields pass no formatter in pino: it resets that one for children. Children inherit this method. */
function withRedactedBindings(log: Log, redact: typeof redactFields): Log {
  const { child } = log;
  log.child = function (this: Log, bindings, options) {
    return child.call(this, redact(bindings), options) as ReturnType<typeof child>;
  } as typeof child;
  return log;
}
