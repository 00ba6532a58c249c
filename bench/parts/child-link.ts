import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** What a bench asks a server process while and after it is under load. */
export interface Answers {
  readonly usage: Usage;
  /** Links of the audit chain so far: one for each commit of hand-outs. */
  readonly links: number;
  /** Milliseconds that each of some one-row commits took, one after the other. */
  readonly commits: readonly number[];
  /** Tokens that are held in memory. */
  readonly tokens: number;
}

export interface Usage {
  /** CPU time of all threads of the process since its start. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

type Handlers = { readonly [Name in keyof Answers]?: () => Answers[Name] | Promise<Answers[Name]> };

type Question = readonly [id: number, name: keyof Answers];
type Reply = { readonly url: string } | { readonly id: number; readonly answer?: unknown; readonly fault?: string };

/** A server that runs in a process of its own, so that its CPU time is its own too. */
export interface ServerProcess {
  readonly url: string;
  ask<Name extends keyof Answers>(name: Name): Promise<Answers[Name]>;
  /** Ends the process, by force when it does not end by itself. */
  stop(): Promise<void>;
}

const patienceMs = 15_000;

/**
 * Starts `file` with the Node that runs us. It must call `serveParent`.
 * @throws Error when it ends before it listens; its own words are on stderr.
 */
export async function startProcess(
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child = fork(file, [], { env: { ...process.env, ...environment }, stdio: ['ignore', 2, 2, 'ipc'] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const listening = Promise.withResolvers<string>();
  let lastId = 0;

  child.on('message', (reply: Reply) => {
    if ('url' in reply) return listening.resolve(reply.url);
    const question = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.fault === undefined) question?.resolve(reply.answer);
    else question?.reject(new Error(reply.fault));
  });
  child.once('exit', (code, signal) => {
    const death = new Error(`${file} ended with ${signal ?? `exit code ${code}`}`);
    listening.reject(death);
    for (const question of waiting.values()) question.reject(death);
    waiting.clear();
  });

  return {
    url: await listening.promise,
    ask<Name extends keyof Answers>(name: Name): Promise<Answers[Name]> {
      lastId += 1;
      const answered = Promise.withResolvers<unknown>();
      waiting.set(lastId, answered);
      child.send([lastId, name] satisfies Question);
      return answered.promise as Promise<Answers[Name]>;
    },
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const force = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  // The child stops when it loses its parent, whether we ask for it or die.
  if (child.connected) child.disconnect();
  await exited;
  clearTimeout(force);
}

/** The child's side: says where it listens, answers questions, and stops when the parent is gone. */
export function serveParent(url: string, handlers: Handlers, stop: () => Promise<void>): void {
  const send = (reply: Reply): unknown => process.send?.(reply);
  const usage = (): Usage => {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() };
  };
  const all: Handlers = { usage, ...handlers };

  process.on('message', async ([id, name]: Question) => {
    try {
      send({ id, answer: await all[name]?.() });
    } catch (error) {
      send({ id, fault: String(error) });
    }
  });
  // Ctrl-C reaches us too; the parent decides.
  process.on('SIGINT', () => {});
  process.once('disconnect', () => stop().then(() => process.exit()));
  send({ url });
}
