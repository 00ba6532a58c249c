/** The links of carriers at the simulated carrier: what its faults look like from there. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Link, type LinkState } from '@waxwing/carrier-session/link.ts';
import { defaultLimits } from '@waxwing/carrier-session/session-options.ts';
import { statusName } from '@waxwing/smpp/command-status.ts';
import { bareResponse } from '@waxwing/smpp/response-pdu.ts';
import type { SmppPdu } from '@waxwing/smpp/smpp-pdu.ts';
import { smppProtocol } from '@waxwing/smpp/smpp-protocol.ts';
import { tlvText } from '@waxwing/smpp/tlv.ts';
import { smppBind, smppSubmit } from './smpp-client.testing.ts';
import { trialSmsc } from './trial-smsc.testing.ts';

/** A running link, stopped after the test. */
function smppLink(t: TestContext, port: number, password?: string) {
  const stop = new AbortController();
  const changes = new EventEmitter();
  /** The ids of the receipts, in their order. */
  const receipts: (string | undefined)[] = [];
  const link = new Link<SmppPdu>({
    protocol: smppProtocol,
    clock: { now: () => performance.now() },
    limits: defaultLimits,
    events: {
      async onRequest(request) {
        receipts.push(tlvText(request.tlvs, 'receipted_message_id'));
        changes.emit('change');
        return bareResponse('deliver_sm', request.sequence, 0);
      },
    },
    target: { host: '127.0.0.1', port, tls: undefined },
    connectTimeoutMs: 5000,
    drainLimitMs: 1000,
    bindRequest: smppBind('bind_transceiver', password),
    judgeBind: ({ status }) => {
      return status === 0 ? { kind: 'bound' } : { kind: 'refused', code: status, words: statusName(status) };
    },
    random: () => 0.5,
    onStatus: () => changes.emit('change'),
  });
  const running = link.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
  });
  return {
    link,
    receipts,
    async until(holds: () => boolean) {
      while (!holds()) await once(changes, 'change');
    },
    async reaches(state: LinkState) {
      while (link.status.state !== state) await once(changes, 'change');
    },
  };
}

test('a wrong password makes the link refused with the code, and it tries again a second later', async (t) => {
  const smsc = await trialSmsc(t, 'smpp');
  const startedAt = performance.now();
  const { link, reaches, until } = smppLink(t, smsc.port, 'wrong');
  await reaches('refused');
  assert.deepEqual(link.status.refusal, { code: 0x0e, words: 'ESME_RINVPASWD' });
  await until(() => smsc.counts().refused_binds === 2);
  assert.ok(performance.now() - startedAt >= 1000);
});

test('a link whose connection is cut comes back, and gets the receipts that it missed', async (t) => {
  const script = { disconnect_after: 20, otherwise: { receipts: [{ after: '200ms' }] } };
  const smsc = await trialSmsc(t, 'smpp', script);
  const { link, receipts, reaches, until } = smppLink(t, smsc.port);
  await reaches('bound');
  const ids: string[] = [];
  for (let submit = 1; submit <= 21; submit += 1) {
    const outcome = await link.submit(smppSubmit('8613800138000'));
    if (outcome.kind === 'answered' && outcome.response.command === 'submit_sm_resp')
      ids.push(outcome.response.messageId);
    else assert.deepEqual(outcome, { kind: 'unanswered', why: 'connection-ended' });
  }
  assert.equal(ids.length, 20);
  await reaches('waiting');
  await reaches('bound');
  await until(() => receipts.length === 20);
  assert.deepEqual(receipts, ids);
  assert.equal(smsc.counts().binds, 2);
});
