import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { DatabaseKind } from '../database/database.ts';
import { freshDatabase } from '../database/testing.ts';
import { startTrialReceiver, type TrialReceiver } from '../outbound/receiver.testing.ts';
import { type ExitCode, runCommandLine } from './command-line.ts';
import { type ServeProcess, startServe } from './program.testing.ts';
import { fakeTerminal, temporaryFolder } from './terminal.testing.ts';

export interface Ran {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

export interface Instance {
  readonly receiver: TrialReceiver;
  /** An organization of this instance. */
  readonly organization: string;
  serve(): Promise<ServeProcess>;
  /** Runs a command for people, with other settings than the instance has if need be. */
  run(argv: readonly string[], stdin?: string, settings?: Record<string, string>): Promise<Ran>;
  /** Runs a command by `--json` that has to succeed. */
  json<Answer = unknown>(argv: readonly string[], stdin?: string): Promise<Answer>;
}

/** An instance of its own without a server, and somebody who answers pushes. */
export async function newInstance(context: TestContext, kind: DatabaseKind): Promise<Instance> {
  const folder = temporaryFolder(context);
  const receiver = await startTrialReceiver();
  context.after(() => receiver[Symbol.asyncDispose]());
  const fresh = kind === 'postgres' ? await freshDatabase(kind, { empty: true }) : undefined;
  context.after(() => fresh?.close());
  const environment = {
    WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8',
    ...(fresh?.options.kind === 'postgres' ? { WAXWING_DATABASE_URL: fresh.options.url } : {}),
  };
  const umask = process.umask();
  context.after(() => process.umask(umask));
  const run: Instance['run'] = async (argv, stdin = '', settings = {}) => {
    const terminal = fakeTerminal(folder, stdin, { ...environment, ...settings });
    const code = await runCommandLine(argv, terminal);
    return { code, ...terminal.written };
  };
  async function json<Answer>(argv: readonly string[], stdin?: string): Promise<Answer> {
    const { code, out, err } = await run([...argv, '--json'], stdin);
    assert.deepEqual([code, err], [0, ''], argv.join(' '));
    return JSON.parse(out) as Answer;
  }
  assert.equal((await run(['migrate'])).code, 0);
  const { id } = await json<{ id: string }>(['organization', 'create', '--name', 'One']);
  return { receiver, organization: id, serve: () => startServe(context, folder, environment), run, json };
}

/** What is printed, with ids, times and secrets as words, and columns two spaces apart. */
export function shape(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME')
    .replaceAll(/wxm_\w+/g, 'TOKEN')
    .replaceAll(/whsec_[\w+/=]+/g, 'SECRET')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'RECEIVER')
    .replaceAll(/ {2,}/g, '  ')
    .replaceAll(/TIME {2}\d+ {2}127/g, 'TIME  MS  127');
}
