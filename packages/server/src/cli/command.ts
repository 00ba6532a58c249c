import type { Settings } from '../config/settings.ts';
import type { ApiServer } from './exchange/api-server.ts';
import type { Terminal } from './terminal.ts';

/** What a person confirms before something is taken away. */
export interface Question {
  /** Whole sentences: what stops, and from when on. */
  readonly consequence: string;
  /** What has to be typed; "y" when it is left out. */
  readonly name?: string;
}

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

/** The parts of the help. */
export const groups = ['Certificates', 'Messages', 'People', 'Instance'] as const;
export type Group = (typeof groups)[number];

/** How a command looks on the command line. */
export interface CommandForm {
  /** Words that name it: `certificate import`. */
  readonly name: string;
  /** What it was called before: still understood, and no part of the help. */
  readonly formerly?: string;
  /** Where the help lists it. */
  readonly group?: Group;
  /** One line without a full stop. */
  readonly summary: string;
  /** In this order. */
  readonly positionals?: readonly Positional[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Paragraphs of the command's own help, below the options. */
  readonly notes?: string;
}

/** Where the person is. */
export interface Place {
  readonly terminal: Terminal;
  readonly settings: Settings;
  /**
   * Asks before something is taken away, where a person sits and has not said `--yes`. Commands that call it have that option.
   * @param ask looks at what is there; undefined: there is nothing to ask
   * @throws Problem `conflict` when the person does not agree
   */
  confirm(ask: () => Promise<Question | undefined> | Question | undefined): Promise<void>;
}

/** A command that speaks to the management API, of this machine's instance or of a server elsewhere. Names in answers are snake_case: scripts see them by `--json`. */
export interface Command<Answer extends object = object> extends CommandForm {
  /** It needs the machine itself: no management key may do it, or it is about files there. */
  readonly machine?: true;
  /** @throws Usage before anything is asked, for wrong usage */
  call(server: ApiServer, args: Arguments, place: Place): Promise<Answer>;
  /** The answer for people; what scripts get by `--json` is the answer itself. */
  print(answer: Answer, args: Arguments): string;
  /** Whether the answer itself is bad news: exit code 1. */
  isFailure?(answer: Answer): boolean;
}

/** A command that finds its own way to the database, if it needs one. */
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
