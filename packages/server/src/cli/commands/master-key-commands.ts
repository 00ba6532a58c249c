import type { Command } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer } from '../exchange/api-server.ts';

export const rotateMasterKey: Command<ApiAnswer<'rotateMasterKey'>> = {
  name: 'master-key rotate',
  machine: true,
  summary: 'Make a new master key and wrap every secret by it; the server goes on',
  notes: 'Interrupted at any point, the same command finishes it. Copy the key file to your safe place afterwards.',
  options: { yes: yesOption },
  async call(server, _args, { confirm }) {
    await confirm(() => ({
      consequence:
        'The current key leaves the key file. Only a copy of the file as it is now opens backups that were made until now.',
    }));
    return server.call('rotateMasterKey');
  },
  print: ({ key_id, rewrapped, resumed }) =>
    [
      resumed ? 'A rotation that was interrupted has been finished.' : 'The master key was rotated.',
      `Current key: ${key_id}; secrets wrapped anew: ${rewrapped}.`,
      'The copy of the key file that you keep is out of date: replace it.',
    ].join('\n'),
};
