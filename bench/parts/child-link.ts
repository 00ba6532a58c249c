import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** Questions and orders of a bench to a process under load. Each process knows some of them. */
export interface Questions {
  usage(): Usage;
  /** Links of the audit chain: one for each commit of hand-outs. */
  links(): number;
  /** The milliseconds of one-row commits, one after the other. */
  commits(): readonly number[];
  /** Tokens in memory. */
  tokens(): number;
  /** Events, or raw requests, by callers that each wait for their former one. */
  flood(load: Flood): Flooded;
  /** Events at a steady rate. Returns each one's commit time on `stampMs`'s clock. */
  pace(load: Pace): readonly number[];
  /** Requests so far. */
  received(): Received;
  /** Starts to note the first arrival of each numbered event on `stampMs`'s clock. Returns the former ones. */
  watch(events: number): readonly number[];
  /** What a simulated carrier has done so far. */
  carried(): Carried;
}

export interface Usage {
  /** CPU time of all threads of the process since its start. */
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** The highest so far. */
  readonly peakRssBytes: number;
}

export interface Flood {
  readonly events: number;
  readonly callers: number;
}

export interface Flooded {
  /** From the first call until the last event is answered and its outcome recorded. */
  readonly ms: number;
  /** CPU time of all threads of the process in that time. */
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

export interface Carried {
  readonly binds: number;
  /** Submits. */
  readonly accepted: number;
  /** The moment of the answer, on `stampMs`'s clock. */
  readonly at: number;
}

type Answer<Name extends keyof Questions> = ReturnType<Questions[Name]>;
type Handlers = {
  readonly [Name in keyof Questions]?: (
    ...brought: Parameters<Questions[Name]>
  ) => Answer<Name> | Promise<Answer<Name>>;
};

type Question = readonly [id: number, name: keyof Questions, brought: readonly unknown[]];
type Reply = { readonly url: string } | { readonly id: number; readonly answer?: unknown; readonly fault?: string };

/** A server in a process of its own, for CPU figures of its own. */
export interface ServerProcess {
  readonly url: string;
  ask<Name extends keyof Questions>(name: Name, ...brought: Parameters<Questions[Name]>): Promise<Answer<Name>>;
  /** Ends the process, by force if necessary. */
  stop(): Promise<void>;
}

const patienceMs = 15_000;

/** Starts `file`, which must call `serveParent`, with this Node. @throws Error when it ends before it listens */
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
  // The child stops when it loses its parent, on purpose or not.
  if (child.connected) child.disconnect();
  await exited;
  clearTimeout(force);
}

/** CPU time of all threads of this process since its start. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of a clock that all processes share. */
export function stampMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The child's side: tells its URL, answers questions, and stops without its parent. */
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
  // Ctrl-C reaches this process as well; the parent decides.
  process.on('SIGINT', () => {});
  process.once('disconnect', () => stop().then(() => process.exit()));
  send({ url });
}
