import { smscLimits, startSmsc } from '@waxwing/smsc/run-smsc.ts';
import { countsLine, type SmscCounts } from '@waxwing/smsc/smsc-counts.ts';
import { listenAddress } from '../config/setting-kinds.ts';
import { listenProblem } from '../http/listen-problem.ts';
import { systemClock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { printWarning } from './error-report.ts';
import type { SaidOfSmsc } from './smsc-options.ts';
import type { Terminal } from './terminal.ts';

/** For the sessions to end in order. */
const drainMs = 1000;

/**
 * Runs a simulated carrier until SIGINT or SIGTERM. A second signal ends the process at once; SIGUSR2 prints the counts.
 * @returns the counts
 * @throws Problem `conflict` when it cannot listen
 */
export async function runSimulatedCarrier(said: SaidOfSmsc, terminal: Terminal, json: boolean): Promise<SmscCounts> {
  const onTrouble = (sentence: string) => void terminal.stderr.write(`${printWarning(sentence, json)}\n`);
  const smsc = await startSmsc({ ...said, clock: systemClock, limits: smscLimits, onTrouble }).catch((error) => {
    throw startProblem(said, error);
  });
  const print = (line: string) => terminal.stdout.write(`${line}\n`);
  const tell = () => print(countsLine(smsc.counts()));
  // Windows has no such signal.
  if (process.platform !== 'win32') process.on('SIGUSR2', tell);
  // A script may end the carrier as soon as it has read the first line.
  const asked = stopAsked();
  const address = listenAddress.show({ host: said.listen.host, port: smsc.port });
  const { protocol, account, tls } = said;
  if (json) print(JSON.stringify({ listening: address, protocol, account: account.id, tls: tls !== undefined }));
  else print(`The simulated carrier listens on ${address} (${protocol}${tls === undefined ? '' : ' over TLS'}).`);
  await asked;
  await smsc.close(drainMs);
  process.off('SIGUSR2', tell);
  return smsc.counts();
}

function startProblem({ listen, tls }: SaidOfSmsc, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (tls !== undefined && /^ERR_(?:OSSL|TLS|CRYPTO)/.test(code)) {
    const detail = `The certificate and the key of the script cannot be used: ${(error as Error).message}.`;
    return new Problem('invalid_parameter', { field: 'tls', detail, cause: error });
  }
  return listenProblem('--listen', listen, error);
}

function stopAsked(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isAsked = false;
  const stop = () => {
    if (isAsked) process.exit(1);
    isAsked = true;
    resolve();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return promise;
}
