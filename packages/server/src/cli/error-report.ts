import { DatabaseUnavailable, UnsuitableDatabase } from '../database/sql/database-errors.ts';
import { type Fault, Problem } from '../runtime/problem.ts';
import { scrubSecrets } from '../runtime/redaction.ts';
import { Usage } from './command.ts';
import { jsonText, plainText } from './text-table.ts';

/** An error as scripts get it by `--json`, on stderr, and as it passes the control socket. */
export interface ErrorReport {
  readonly code: string;
  readonly field: string | null;
  readonly detail: string;
  readonly faults: readonly Fault[];
  /** The values in the detail, where it has any: the id of the certificate that exists already. */
  readonly parameters?: Readonly<Record<string, string | number>>;
}

/**
 * The report for the person. An error that is not meant for people comes out as `internal_error`, with its text
 * scrubbed.
 */
export function reportError(error: unknown): ErrorReport {
  if (error instanceof Problem) {
    const { code, field = null, message: detail, faults, parameters } = error;
    return { code, field, detail, faults, ...(Object.keys(parameters).length > 0 && { parameters }) };
  }
  if (error instanceof Usage) return plain('usage', error.message);
  if (error instanceof DatabaseUnavailable) return plain('service_unavailable', error.message);
  if (error instanceof UnsuitableDatabase) return plain('conflict', error.message);
  return plain('internal_error', error instanceof Error ? error.message : String(error));
}

function plain(code: string, detail: string): ErrorReport {
  return { code, field: null, detail: scrubSecrets(detail), faults: [] };
}

/** The text for stderr; a stack only where the fault is ours. */
export function printError(error: unknown, json: boolean): string {
  const report = reportError(error);
  if (json) return jsonText(report);
  const lines = [`error: ${plainText(report.detail)}`];
  lines.push(...report.faults.map(({ field, message }) => plainText(`  ${field}: ${message}`)));
  if (error instanceof Usage) {
    lines.push(`See: waxwing ${['help', error.topic].filter((word) => word !== '').join(' ')}`);
  }
  if (report.code === 'internal_error' && error instanceof Error && !(error instanceof Problem)) {
    lines.push(
      ...scrubSecrets(error.stack ?? '')
        .split('\n')
        .map(plainText),
    );
  }
  return lines.join('\n');
}

/** A line for stderr. For scripts it is JSON too, so that each line there can be read as that. */
export function printWarning(text: string, json: boolean): string {
  return json ? jsonText({ warning: text }) : `warning: ${plainText(text)}`;
}

/** 1: refused, with the reason. 2: wrong usage. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof Usage ? 2 : 1;
}
