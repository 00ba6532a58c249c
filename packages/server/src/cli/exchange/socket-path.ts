import { join } from 'node:path';

/** Where the running server takes commands: a Unix socket that only the server's own account may open. */
export function controlSocketPath(data: string): string {
  return join(data, 'control.sock');
}

/** `sun_path` has 108 bytes on Linux, the last of them zero (unix(7)). */
const longestPath = 107;

export function fitsSocketAddress(path: string): boolean {
  return Buffer.byteLength(path) <= longestPath;
}

/** Names the version of the command line. */
export const versionHeader = 'waxwing-version';

/** Names where customers reach the server that answers. */
export const baseUrlHeader = 'waxwing-base-url';
