import type { Command } from './command.ts';
import { yesOption } from './confirmation.ts';

interface Rotated {
  readonly key_id: string;
  readonly rewrapped: number;
  readonly resumed: boolean;
}

const rotate: Command<object, Rotated> = {
  name: 'master-key rotate',
  summary: 'Make a new master key and wrap every secret by it, while everything goes on',
  notes: 'Interrupted at any point, the same command finishes it. Copy the key file to your safe place afterwards.',
  options: { yes: yesOption },
  prepare: () => ({}),
  question: async () => ({
    consequence:
      'The current key leaves the key file. Only a copy of the file as it is now opens backups that were made until now.',
  }),
  async run(application, _input, actor) {
    const { keyId, rewrapped, resumed } = await application.masterKeys.rotate(actor);
    return { key_id: keyId, rewrapped, resumed };
  },
  print: ({ key_id, rewrapped, resumed }) =>
    [
      resumed ? 'A rotation that was interrupted has been finished.' : 'The master key was rotated.',
      `Current key: ${key_id}; secrets wrapped anew: ${rewrapped}.`,
      'The copy of the key file that you keep is out of date: replace it.',
    ].join('\n'),
};

export const masterKeyCommands: readonly Command[] = [rotate];
