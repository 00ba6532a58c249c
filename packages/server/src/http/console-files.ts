import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

/** One file of the console as it is sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** The same, compressed when the console was built; absent where that makes it no smaller. */
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
  /** Strong, of the uncompressed bytes; each coding adds its own mark. */
  readonly digest: string;
  /** Whether its name holds a hash of its content, so that it never changes. */
  readonly isImmutable: boolean;
}

/** The built console: what is sent for every name, and the page that starts it. */
export interface ConsoleFiles {
  /** By the path below `/console/`. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
  /** The page, with `noncePlace` wherever the nonce of one answer belongs. */
  readonly page: string;
}

/** Stands in the built page for the nonce; packages/console/vite.config.ts puts it there. */
export const noncePlace = 'nonce-of-this-answer';

const page = 'index.html';
const hashed = /^assets\/.+-[\w-]{8}\.\w+$/;

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Reads the built console into memory, once. @returns undefined when it has not been built */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  const present = new Map(listFiles(folder).map((path) => [relative(folder, path).split(sep).join('/'), path]));
  const pagePath = present.get(page);
  if (pagePath === undefined) return undefined;
  const files = new Map<string, ConsoleFile>();
  for (const [name, path] of present) {
    const type = types[extname(name)];
    if (type !== undefined) files.set(name, readConsoleFile(name, path, type, present));
  }
  return { files, page: readFileSync(pagePath, 'utf8') };
}

function readConsoleFile(name: string, path: string, type: string, present: ReadonlyMap<string, string>): ConsoleFile {
  const bytes = readFileSync(path);
  const compressed = (ending: string): Buffer | undefined => {
    const other = present.get(name + ending);
    return other === undefined ? undefined : readFileSync(other);
  };
  return {
    type,
    bytes,
    br: compressed('.br'),
    gzip: compressed('.gz'),
    digest: createHash('sha256').update(bytes).digest('base64url').slice(0, 27),
    isImmutable: hashed.test(name),
  };
}

function listFiles(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
