import type { Application } from '../compose.ts';

/** JSON that passes the control socket: what a command needs, and what it answers. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };
export type JsonObject = { readonly [name: string]: Json | undefined };

export interface Option {
  readonly type: 'string' | 'boolean';
  /** May be given several times. */
  readonly multiple?: boolean;
  readonly required?: boolean;
  /** How the value is shown in the help: `ID`, `FILE`, `CIDR[,CIDR]`. */
  readonly value?: string;
  readonly help: string;
}

export interface Arguments {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/**
 * One command of `waxwing`. It runs in three places: `prepare` and `finish` where the person is (they may read and
 * write that person's files), `run` where the database is: in the running server when there is one, else here.
 */
export interface Command {
  /** Words that name it: `certificate import`. */
  readonly name: string;
  readonly summary: string;
  /** Names of the positional arguments, all required. */
  readonly positionals?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Turns arguments into the input of `run`; asks for passwords, reads files. @throws Usage for wrong usage. */
  prepare?(args: Arguments): Promise<JsonObject> | JsonObject;
  run(application: Application, input: JsonObject, actor: string): Promise<JsonObject | readonly JsonObject[]>;
  /** Uses the answer where the person is, e.g. writes exported files; returns what is shown instead. */
  finish?(answer: JsonObject, args: Arguments): Promise<JsonObject>;
  /** The answer for people; what scripts get by `--json` is the answer itself. */
  print(answer: JsonObject | readonly JsonObject[]): string;
}

/** Wrong usage: exit code 2. */
export class Usage extends Error {
  override readonly name = 'Usage';
}
