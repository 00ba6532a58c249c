import type { Arguments, Command } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import { ownerOption } from '../option-values.ts';

/** `enable`, `disable` and `rename`, as commands of their own: each is one option of `update`. */
export function verbsOf<Answer extends object>(update: Command<Answer>): readonly Command[] {
  const [noun = ''] = update.name.split(' ');
  const { positionals = [], print } = update;
  const common = { positionals, options: { organization: ownerOption }, print };
  const as = (option: string): Command<Answer>['call'] => {
    return (server, args, place) => update.call(server, withOption(args, option), place);
  };
  const words = noun.replaceAll('-', ' ');
  return [
    { ...common, name: `${noun} enable`, summary: `Accept the token of a ${words} again`, call: as('enable') },
    {
      ...common,
      name: `${noun} disable`,
      summary: `Refuse the token of a ${words} as invalid`,
      options: { organization: ownerOption, yes: yesOption },
      call: as('disable'),
    },
    {
      ...common,
      name: `${noun} rename`,
      summary: `Give a ${words} another name`,
      positionals: [...positionals, { name: 'NAME', help: 'Its new name' }],
      call: as('rename'),
    },
  ] satisfies readonly Command<Answer>[];
}

/** As if the option had been given; its value, where it has one, is the argument NAME. */
function withOption(args: Arguments, option: string): Arguments {
  return {
    ...args,
    flag: (name) => name === option || args.flag(name),
    optional: (name) => (name === option ? args.optionalPositional('NAME') : args.optional(name)),
  };
}
