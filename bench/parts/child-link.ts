import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** What a bench asks a process while and after it is under load, or has it do; each process knows some of it. */
export interface Questions {
  usage(): Usage;
  /** Links of the audit chain so far: one for each commit of hand-outs. */
  links(): number;
  /** Milliseconds that each of some one-row commits took, one after the other. */
  commits(): readonly number[];
  /** Tokens that are held in memory. */
  tokens(): number;
  /** So many events, or raw requests, by so many callers of which each waits for its former one. */
  flood(load: Flood): Flooded;
  /** Events at a steady rate. Answers when each was committed, by its number, on `stampMs`'s clock. */
  pace(load: Pace): readonly number[];
  /** Requests that have come in so far. */
  received(): Received;
  /** From now on keeps when each of so many numbered events comes first, on `stampMs`'s clock; answers the ones before. */
  watch(events: number): readonly number[];
}

export interface Usage {
  /** CPU time of all threads of the process since its start. */
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** The most it ever was. */
  readonly peakRssBytes: number;
}

export interface Flood {
  readonly events: number;
  readonly callers: number;
}

export interface Flooded {
  /** From the first call to the end of the last event: answered, and its outcome recorded. */
  readonly ms: number;
  /** CPU time of all threads of the process meanwhile. */
  readonly cpuMs: number;
}

export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
}

export interface Received {
  readonly requests: number;
  /** On `stampMs`'s clock. */
  readonly lastAt: number;
}

type Answer<Name extends keyof Questions> = ReturnType<Questions[Name]>;
type Handlers = {
  readonly [Name in keyof Questions]?: (
    ...brought: Parameters<Questions[Name]>
  ) => Answer<Name> | Promise<Answer<Name>>;
};

type Question = readonly [id: number, name: keyof Questions, brought: readonly unknown[]];
type Reply = { readonly url: string } | { readonly id: number; readonly answer?: unknown; readonly fault?: string };

/** A server that runs in a process of its own, so that its CPU time is its own too. */
export interface ServerProcess {
  readonly url: string;
  ask<Name extends keyof Questions>(name: Name, ...brought: Parameters<Questions[Name]>): Promise<Answer<Name>>;
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
    ask<Name extends keyof Questions>(name: Name, ...brought: Parameters<Questions[Name]>): Promise<Answer<Name>> {
      lastId += 1;
      const answered = Promise.withResolvers<unknown>();
      waiting.set(lastId, answered);
      child.send([lastId, name, brought] satisfies Question);
      return answered.promise as Promise<Answer<Name>>;
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

/** CPU time of all threads of this process since its start. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of a clock that all processes of the machine share. */
export function stampMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The child's side: says where it listens, answers questions, and stops when the parent is gone. */
export function serveParent(url: string, handlers: Handlers, stop: () => Promise<void>): void {
  const send = (reply: Reply): unknown => process.send?.(reply);
  const usage = (): Usage => {
    const peakRssBytes = process.resourceUsage().maxRSS * 1024;
    return { cpuMs: cpuMs(), rssBytes: process.memoryUsage.rss(), peakRssBytes };
  };
  const all: Handlers = { usage, ...handlers };

  process.on('message', async ([id, name, brought]: Question) => {
    const handler = all[name] as ((...brought: readonly unknown[]) => unknown) | undefined;
    try {
      send({ id, answer: await handler?.(...brought) });
    } catch (error) {
      send({ id, fault: String(error) });
    }
  });
  // Ctrl-C reaches us too; the parent decides.
  process.on('SIGINT', () => {});
  process.once('disconnect', () => stop().then(() => process.exit()));
  send({ url });
}
