import type { Readable } from 'node:stream';
import type { Environment } from '../config/load-settings.ts';

/** What a command line is connected to. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly environment: Environment;
  /** The working directory, from which relative paths start. */
  readonly folder: string;
}

export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly writableLength?: number | undefined;
}

/**
 * A command whose output is lost has failed, unless its reader has seen enough (`waxwing audit list | head`). Then the
 * rest is dropped.
 */
export function failOnLostOutput(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') process.exitCode ||= 1;
}

/** Nobody can be told. A full disk under its log is no reason for a server to hand out nothing (telemetry.ts counts the lines). */
export function goOnWithoutLog(): void {}
