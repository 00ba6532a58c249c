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

/** A reader that has seen enough (`waxwing audit list | head`) is no fault of ours: what is left is written to nobody. */
export function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
