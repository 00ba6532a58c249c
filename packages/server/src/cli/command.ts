import type { Application } from '../compose.ts';
import type { Settings } from '../config/settings.ts';
import type { LookUp, Question } from './confirmation.ts';
import type { RemoteServer } from './remote-server.ts';
import type { Terminal } from './terminal.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  /** May be given several times. */
  readonly multiple?: boolean;
  readonly required?: boolean;
  /** One letter that stands for it: `q`. */
  readonly short?: string;
  /** How the value is shown in the help: `ID`, `FILE`, `CIDR[,CIDR]`. */
  readonly value?: string;
  readonly help: string;
  /** It says something that only a server elsewhere needs to know: it goes with `--server` alone. */
  readonly remote?: true;
}

export interface Positional {
  /** As shown in the help: `ID`. */
  readonly name: string;
  readonly help: string;
  /** It may be left out; so may those behind it. */
  readonly optional?: boolean;
}

/** What was given, checked against the command's form: required things are there, and nothing is empty. */
export interface Arguments {
  positional(name: string): string;
  optionalPositional(name: string): string | undefined;
  /** @throws Usage when it was not given */
  required(name: string): string;
  optional(name: string): string | undefined;
  list(name: string): readonly string[];
  flag(name: string): boolean;
}

/** How a command looks on the command line. */
export interface CommandForm {
  /** Words that name it: `certificate import`. */
  readonly name: string;
  /** One line without a full stop. */
  readonly summary: string;
  /** In this order. */
  readonly positionals?: readonly Positional[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Paragraphs of the command's own help, below the options. */
  readonly notes?: string;
}

/** Where the person is: for `prepare` and for commands that need no database. */
export interface Place {
  readonly terminal: Terminal;
  readonly settings: Settings;
}

/**
 * A command that runs where the database is: in the running server when there is one, else here. `prepare` and `finish`
 * run where the person is (they may read and write that person's files). What passes between them is JSON; its names
 * are snake_case in `Answer`, which scripts see by `--json`.
 */
export interface Command<Input extends object = object, Answer extends object = object, Shown extends object = Answer>
  extends CommandForm {
  /** Turns arguments into the input of `run`; asks for passwords, reads files. @throws Usage for wrong usage. */
  prepare(args: Arguments, place: Place): Promise<Input> | Input;
  /** What a person at a terminal is asked before `run`; undefined: nothing. Commands that have it take `--yes`. */
  question?(input: Input, lookUp: LookUp, args: Arguments): Promise<Question | undefined>;
  /** @param actor who is recorded in the audit trail: `cli:` and the name of the person's account */
  run(application: Application, input: Input, actor: string): Promise<Answer>;
  /** The same by the management API of a server elsewhere. Left out where it needs the machine itself. */
  remote?(server: RemoteServer, input: Input, args: Arguments): Promise<Answer>;
  /** Uses the answer where the person is, for example writes exported files; returns what is shown instead. */
  finish?(answer: Answer, args: Arguments, place: Place): Promise<Shown>;
  /** The answer for people; what scripts get by `--json` is the answer itself. */
  print(shown: Shown, args: Arguments): string;
  /** Whether the answer itself is bad news: exit code 1. */
  isFailure?(shown: Shown): boolean;
}

/** A command that runs where the person is and finds its own way to the database, if it needs one. */
export interface LocalCommand<Answer extends object = object> extends CommandForm {
  /** It runs also where WAXWING_SERVER is set, which others would read as the wish to ask that server. */
  readonly ignoresServer?: true;
  /** @param environment with what `--env-file` adds */
  execute(args: Arguments, place: LocalPlace): Promise<Answer | undefined>;
  print(answer: Answer, args: Arguments): string;
  isFailure?(answer: Answer): boolean;
}

export interface LocalPlace {
  readonly terminal: Terminal;
  /** Settings may be wrong, and then a local command decides what that means. */
  readonly envFile: string | undefined;
}

export type AnyCommand = Command | LocalCommand;

/** The person typed something that is no command: exit code 2. */
export class Usage extends Error {
  override readonly name = 'Usage';
  /** The words whose help shows the right usage. */
  readonly topic: string;

  constructor(message: string, topic = '') {
    super(message);
    this.topic = topic;
  }
}
