/** The commands that deployments, messaging keys and management keys have in common: each holds tokens. */
import { systemClock } from '../../runtime/clock.ts';
import type { Arguments, Command, CommandForm, Place, Positional } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiParts, ApiServer } from '../exchange/api-server.ts';
import { ownerOption, present } from '../option-values.ts';
import { changeQuestion, deletionQuestion, rotationQuestion } from './holder-questions.ts';
import { type HolderChanges, overlapOption, readRotation, requireChanges } from './token-holder-options.ts';
import { type RotatedToken, rotatedText, tokenTable } from './token-text.ts';

/** As operations name the kinds: `showDeployment`, `rotateInstanceManagementKey`. */
type Kind = 'Deployment' | 'MessagingKey' | 'ManagementKey' | 'InstanceManagementKey';

type Changed = ApiAnswer<`update${Kind}`>;
type Removed = { readonly id: string; readonly left?: Left };

/** The holder that a command names. */
export interface FoundHolder<Of extends Kind> {
  readonly of: Of;
  readonly id: string;
  /** The path to it. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** What a kind has of its own. */
export interface HolderKind<Of extends Kind> {
  /** As commands name it: `messaging-key`. */
  readonly noun: string;
  find(server: ApiServer, args: Arguments): Promise<FoundHolder<Of>>;
  facts(holder: ApiAnswer<`update${Of}`>): string;
  readonly update: Pick<CommandForm, 'options' | 'notes'> & {
    changes(args: Arguments): NonNullable<ApiParts<`update${Of}`>['body']>;
    /** @throws Usage for changes that this holder cannot have */
    check?(args: Arguments, found: FoundHolder<Of>): void;
  };
  /** Where its token is used; absent: nowhere that can be tried. */
  readonly use?: {
    /** Absent: the answer has a field `url`. */
    url?(baseUrl: string): string;
    /** Where a GET with the token changes nothing. */
    tryUrl(url: string): string;
  };
  readonly show: Pick<CommandForm, 'summary'> & {
    /** Below the facts and the tokens. */
    details?(holder: ApiAnswer<`show${Of}`>): readonly string[];
  };
  readonly remove: Pick<CommandForm, 'summary'> & {
    /** Below the sentence that it is deleted. */
    left?(left: Left): readonly string[];
  };
}

/** What a deleted management key has made. */
export type Left = ApiAnswer<'deleteManagementKey'>['left'];

/** All commands of a kind, in the order of the help. Every kind brings `create` and `list`; the others are made here. */
export function holderCommands<Of extends Kind>(
  described: HolderKind<Of>,
  create: Command,
  list: Command,
): readonly Command[] {
  // Safe: a description gets only answers of the kind that its own `find` returns.
  const { noun, find, facts, use, ...kind } = described as unknown as HolderKind<Kind>;
  const { changes, check, ...form } = kind.update;
  const words = noun.replaceAll('-', ' ');
  const id: Positional = { name: 'ID', help: `The ${words}, as "${noun} list" shows it` };
  const named = { positionals: [id], options: { organization: ownerOption } };
  const asking = { ...named, options: { ...named.options, yes: yesOption } };

  async function change(server: ApiServer, args: Arguments, { confirm }: Place, body: HolderChanges): Promise<Changed> {
    const found = await find(server, args);
    check?.(args, found);
    const { of, params } = found;
    await confirm(async () => changeQuestion(await server.call(`show${of}`, { params }), body, systemClock.now()));
    return server.call(`update${of}`, { params, body, readBy: `show${of}` });
  }

  const update: Command<Changed> = {
    ...named,
    ...form,
    name: `${noun} update`,
    summary: `Change a ${words}; takes effect on the next request`,
    async call(server, args, place) {
      return change(server, args, place, requireChanges(changes(args), this));
    },
    print: facts,
  };

  const enable: Command<Changed> = {
    ...named,
    name: `${noun} enable`,
    summary: `Accept the token of a ${words} again`,
    call: (server, args, place) => change(server, args, place, { enabled: true }),
    print: facts,
  };

  const disable: Command<Changed> = {
    ...asking,
    name: `${noun} disable`,
    summary: `Refuse the token of a ${words} as invalid`,
    call: (server, args, place) => change(server, args, place, { enabled: false }),
    print: facts,
  };

  const rename: Command<Changed> = {
    ...named,
    name: `${noun} rename`,
    summary: `Give a ${words} another name`,
    positionals: [id, { name: 'NAME', help: 'Its new name' }],
    call: (server, args, place) => change(server, args, place, { name: args.positional('NAME') }),
    print: facts,
  };

  const rotate: Command<RotatedToken & { readonly url?: string }> = {
    ...asking,
    name: `${noun} rotate`,
    summary: 'Make a new token, shown once; the former one stays valid for a while',
    options: { overlap: overlapOption, ...asking.options },
    async call(server, args, { confirm }) {
      const body = readRotation(args);
      const { of, params } = await find(server, args);
      await confirm(async () => rotationQuestion((await server.call(`show${of}`, { params })).name, body));
      const rotated = await server.call(`rotate${of}`, { params, body });
      return { ...rotated, ...present('url', use?.url?.(server.baseUrl)) };
    },
    print: (rotated) => rotatedText(rotated, rotated.url && use?.tryUrl(rotated.url)),
  };

  const show: Command<ApiAnswer<`show${Kind}`>> = {
    ...named,
    name: `${noun} show`,
    summary: kind.show.summary,
    async call(server, args) {
      const { of, params } = await find(server, args);
      return server.call(`show${of}`, { params });
    },
    print: (holder) =>
      [facts(holder), '', tokenTable(holder.tokens), ...(kind.show.details?.(holder) ?? [])].join('\n'),
  };

  const remove: Command<Removed> = {
    ...asking,
    name: `${noun} delete`,
    summary: kind.remove.summary,
    async call(server, args, { confirm }) {
      const { of, id, params } = await find(server, args);
      await confirm(async () => deletionQuestion((await server.call(`show${of}`, { params })).name));
      const answer: unknown = await server.call(`delete${of}`, { params });
      return { id, ...(answer as Omit<Removed, 'id'>) };
    },
    print({ id, left }) {
      const subject = words.replace(/^./, (first) => first.toUpperCase());
      const more = left === undefined ? [] : (kind.remove.left?.(left) ?? []);
      return [`${subject} ${id} is deleted; its tokens are refused from now on.`, ...more].join('\n');
    },
  };

  return [create, update, enable, disable, rename, rotate, list, show, remove];
}
