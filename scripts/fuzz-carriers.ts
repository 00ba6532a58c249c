/**
 * Tries the codecs of carriers with PDUs that are changed at random, and stops at the first that one of them fails on.
 *
 *   npm run fuzz:carriers -- [--count 5000000] [--seed 1]
 */
import { parseArgs } from 'node:util';
import type { FuzzOptions, FuzzReport } from '../packages/carrier-session/src/protocol-fuzz.testing.ts';
import { fuzzCmpp } from '../packages/cmpp/src/cmpp-fuzz.testing.ts';
import { cmpp2, cmpp3 } from '../packages/cmpp/src/cmpp-version.ts';
import { fuzzSmpp } from '../packages/smpp/src/smpp-fuzz.testing.ts';

const targets: readonly { readonly name: string; readonly run: (options: FuzzOptions) => FuzzReport }[] = [
  { name: 'smpp', run: fuzzSmpp },
  { name: 'cmpp2', run: (options) => fuzzCmpp(cmpp2, options) },
  { name: 'cmpp3', run: (options) => fuzzCmpp(cmpp3, options) },
];

const { values } = parseArgs({
  options: { count: { type: 'string', default: '5000000' }, seed: { type: 'string', default: '1' } },
});
const options = { count: wholeNumber('--count', values.count), seed: wholeNumber('--seed', values.seed) };

for (const { name, run } of targets) {
  const before = process.memoryUsage.rss();
  const start = performance.now();
  const { pdus, malformed } = run(options);
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${name}: ${options.count} mutations, seed ${options.seed}: ${pdus} PDUs, ${malformed} malformed, ` +
      `${seconds.toFixed(1)} s, rss ${megabytes(before)} MB before, ${megabytes(process.memoryUsage.rss())} MB after`,
  );
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number below 1,000,000,000`);
  return Number(text);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
