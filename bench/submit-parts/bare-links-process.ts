import { EventEmitter, once } from 'node:events';
import { Link } from '@waxwing/carrier-session/link.ts';
import { defaultLimits } from '@waxwing/carrier-session/session-options.ts';
import { bareResponse } from '@waxwing/smpp/response-pdu.ts';
import type { BindTransceiver, SmppPdu, SubmitSm } from '@waxwing/smpp/smpp-pdu.ts';
import { smppProtocol } from '@waxwing/smpp/smpp-protocol.ts';
import { systemClock } from '../../packages/server/src/runtime/clock.ts';
import { countArrivals } from '../parts/arrivals.ts';
import { type Pace, serveParent, stampMs } from '../parts/child-link.ts';
import { paced } from '../parts/paced.ts';
import { flood } from '../push-parts/flood.ts';
import { benchAccount, contentOfBench, numberOfEvent, numberPrefix } from './bench-message.ts';

/** The session engine alone: it submits, and acknowledges receipts, without a store. */
const window = Number(process.env.BENCH_WINDOW);
const [host = '', port = ''] = (process.env.BENCH_CARRIER ?? '').split(':');
const arrivals = countArrivals();
const receipts = new EventEmitter();
const stopping = new AbortController();

const links = Array.from({ length: Number(process.env.BENCH_CONNECTIONS) }, () => openLink());
const bound = links.map(({ isBound }) => isBound);
const running = links.map(({ link }) => link.run(stopping.signal));
await Promise.all(bound);

function openLink() {
  const { promise: isBound, resolve } = Promise.withResolvers<void>();
  const link = new Link<SmppPdu>({
    protocol: smppProtocol,
    clock: { now: () => systemClock.monotonic() },
    limits: { ...defaultLimits, window },
    events: { onRequest: takeReceipt },
    target: { host, port: Number(port), tls: undefined },
    connectTimeoutMs: defaultLimits.responseTimeoutMs,
    drainLimitMs: 1_000,
    bindRequest,
    judgeBind: ({ status }) =>
      status === 0 ? { kind: 'bound' } : { kind: 'refused', code: status, words: 'the bind of the bench' },
    random: Math.random,
    onStatus({ state }) {
      if (state === 'bound') resolve();
    },
  });
  return { link, isBound };
}

function bindRequest(sequence: number): BindTransceiver {
  const { id: systemId, password } = benchAccount;
  const address = { addrTon: 0, addrNpi: 0, addressRange: '' };
  const version = { systemType: '', interfaceVersion: 0x34 };
  return { command: 'bind_transceiver', sequence, status: 0, systemId, password, ...version, ...address, tlvs: [] };
}

async function takeReceipt(request: SmppPdu): Promise<SmppPdu> {
  const number = request.command === 'deliver_sm' ? request.source.address : '';
  arrivals.note(() => Number(number.slice(numberPrefix.length)));
  receipts.emit('arrival');
  return bareResponse('deliver_sm', request.sequence, 0);
}

async function submit(event: number): Promise<void> {
  const outcome = await links[event % links.length]?.link.submit(submitOf(event));
  if (outcome?.kind !== 'answered' || outcome.response.status !== 0) throw new Error('the carrier took no submit');
}

/** As the server writes it. */
function submitOf(event: number) {
  const destination = { ton: 1, npi: 1, address: numberOfEvent(event) };
  return (sequence: number): SubmitSm => ({
    ...{ command: 'submit_sm', sequence, status: 0, serviceType: '', source: { ton: 0, npi: 0, address: '' } },
    ...{ destination, esmClass: 0, protocolId: 0, priorityFlag: 0, scheduleDeliveryTime: '' },
    ...{ validityPeriod: '260115123000000+', registeredDelivery: 1, replaceIfPresentFlag: 0, dataCoding: 0 },
    ...{ smDefaultMsgId: 0, shortMessage: Buffer.from(contentOfBench, 'latin1'), tlvs: [] },
  });
}

async function pace(load: Pace): Promise<readonly number[]> {
  const stamps: number[] = [];
  await paced(load, (event) => {
    stamps[event] = stampMs();
    return submit(event);
  });
  return stamps;
}

serveParent(
  '',
  {
    flood(load) {
      const { requests: before } = arrivals.received();
      return flood(load, submit, async () => {
        while (arrivals.received().requests < before + load.events) await once(receipts, 'arrival');
      });
    },
    pace,
    received: arrivals.received,
    watch: arrivals.watch,
  },
  async () => {
    stopping.abort();
    await Promise.all(running);
  },
);
