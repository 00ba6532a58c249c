import type { AddressInfo } from 'node:net';
import { smscLimits, startSmsc } from '@waxwing/smsc/run-smsc.ts';
import { plainScript } from '@waxwing/smsc/smsc-script.ts';
import { systemClock } from '../../packages/server/src/runtime/clock.ts';
import { serveParent, stampMs } from '../parts/child-link.ts';
import { benchAccount } from './bench-message.ts';
import { relayLate } from './late-relay.ts';

/**
 * A simulated carrier that accepts and delivers everything at once. `BENCH_ROUND_TRIP` milliseconds lie between it and
 * its clients.
 */
const smsc = await startSmsc({
  protocol: 'smpp',
  listen: { host: '127.0.0.1', port: 0 },
  account: benchAccount,
  script: plainScript,
  tls: undefined,
  seed: 'bench',
  clock: systemClock,
  limits: smscLimits,
  onTrouble: (sentence) => console.error(sentence),
});
const roundTripMs = Number(process.env.BENCH_ROUND_TRIP);
const relay = roundTripMs === 0 ? undefined : await relayLate(smsc.port, roundTripMs / 2);
const port = relay === undefined ? smsc.port : (relay.address() as AddressInfo).port;

serveParent(
  `127.0.0.1:${port}`,
  {
    carried() {
      const { binds, accepted } = smsc.counts();
      return { binds, accepted, at: stampMs() };
    },
  },
  () => smsc.close(0),
);
