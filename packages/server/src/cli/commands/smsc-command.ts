import { countsLine, type SmscCounts } from '@waxwing/smsc/smsc-counts.ts';
import type { LocalCommand } from '../command.ts';

export const simulateSmsc: LocalCommand<SmscCounts> = {
  name: 'simulator smsc',
  ignoresServer: true,
  summary: 'Run a simulated carrier that others connect to, until SIGINT; needs no data folder',
  options: {
    listen: { type: 'string', required: true, value: 'HOST:PORT', help: 'Where it listens: 127.0.0.1:2775' },
    account: { type: 'string', required: true, value: 'ID', help: 'The system_id or Source_Addr that may bind' },
    'password-file': { type: 'string', required: true, value: 'FILE', help: 'Where the password of the account is' },
    protocol: { type: 'string', value: 'smpp|cmpp2|cmpp3', help: 'What it speaks; by default smpp' },
    script: { type: 'string', value: 'FILE', help: 'What it does, in JSON; by default it delivers everything at once' },
    seed: { type: 'string', value: 'S', help: 'What the script leaves to chance is the same for the same seed' },
  },
  notes:
    'SIGUSR2 prints what it has done so far, as its end does. docs/guides/simulated-carrier.md describes the script:\n' +
    'delays, refusals, lost answers, receipts of every kind, replies, broken connections, TLS.',
  async execute(args, { terminal }) {
    const { smscOptions } = await import('../smsc-options.ts');
    const { runSimulatedCarrier } = await import('../run-simulated-carrier.ts');
    return runSimulatedCarrier(smscOptions(args, terminal.folder), terminal, args.flag('json'));
  },
  print: (counts) => countsLine(counts),
};
