import { join } from 'node:path';
import { type Fault, Problem, type ProblemCode, problems } from '../runtime/problem.ts';
import type { ErrorReport } from './error-report.ts';

/**
 * How the command line speaks to the running server: HTTP/1.1 on a Unix socket in the data folder, which only the
 * server's own account may open. `POST /commands/certificate.import` with `{input, actor}` is answered
 * `{ok: true, answer}` or `{ok: false, problem}`; `GET /status` and `GET /metrics` are for people and doctors. Both
 * ends are always the same version, so that the input of a command needs no second check.
 */
export interface ControlRequest {
  readonly input: object;
  readonly actor: string;
}

export type ControlReply =
  | { readonly ok: true; readonly answer: object }
  | { readonly ok: false; readonly problem: ErrorReport };

/** Names the version of the command line. */
export const versionHeader = 'waxwing-version';

/** `sun_path` has 108 bytes on Linux, the last of them zero (unix(7)). */
const longestPath = 107;

export function controlSocketPath(data: string): string {
  return join(data, 'control.sock');
}

export function fitsSocketAddress(path: string): boolean {
  return Buffer.byteLength(path) <= longestPath;
}

export const commandPath = (name: string): string => `/commands/${name.replaceAll(' ', '.')}`;

/** The error that was reported at the other end. */
export function toProblem({ code, field, detail, faults }: ErrorReport): Problem {
  return new Problem(isProblemCode(code) ? code : 'internal_error', {
    detail,
    faults: faults as readonly Fault[],
    ...(field === null ? {} : { field }),
  });
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
