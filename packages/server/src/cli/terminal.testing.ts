import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { Terminal } from './terminal.ts';

/** A folder of one test's own, gone when it ends. */
export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-cli-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface FakeTerminal extends Terminal {
  readonly written: { out: string; err: string };
}

/** A terminal that nobody sits at; what is written to it is kept. */
export function fakeTerminal(folder: string, stdin = '', environment: Terminal['environment'] = {}): FakeTerminal {
  const written = { out: '', err: '' };
  return {
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    environment,
    folder,
    written,
  };
}
