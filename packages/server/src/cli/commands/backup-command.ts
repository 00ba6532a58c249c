import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import type { ApiAnswer } from '../exchange/api-server.ts';

export const writeBackup: Command<ApiAnswer<'writeBackup'>> = {
  name: 'backup',
  machine: true,
  summary: 'Write a consistent copy of the embedded database to a file; the server goes on',
  options: {
    out: { type: 'string', required: true, value: 'FILE', help: 'Where to; a file that is there is not overwritten' },
  },
  notes:
    'The copy is readable by its owner alone (0600), and on disk when this returns. The server writes it: FILE must be where its account may write.\n' +
    'The master key is not in it. Keep both, apart from each other.',
  call: (server, args, { terminal }) =>
    server.call('writeBackup', { body: { file: resolve(terminal.folder, args.required('out')) } }),
  print: ({ file, bytes, key_id, recorded }) =>
    [
      `${file}: ${bytes} bytes`,
      `It opens with a copy of the master key file that holds key ${key_id}; keep that in another place.`,
      ...(recorded ? [] : ['The audit trail could not be written and does not tell of this backup; the log does.']),
    ].join('\n'),
};
