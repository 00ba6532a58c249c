import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyClient, everyProtocol } from './any-client.testing.ts';
import { trialSmsc } from './trial-smsc.testing.ts';

const short = { responseTimeoutMs: 1000 };

for (const protocol of everyProtocol) {
  const throttled = protocol === 'smpp' ? 0x58 : 8;

  test(`${protocol}: submits are accepted at once, and their receipts follow with the same id`, async (t) => {
    const smsc = await trialSmsc(t, protocol);
    const client = await anyClient(t, protocol, smsc.port);
    const answers = await Promise.all(Array.from({ length: 500 }, (_, index) => client.send(`138${index}`)));
    assert.ok(answers.every(({ code }) => code === 0));
    const ids = answers.map(({ id }) => id);
    assert.equal(new Set(ids).size, 500);
    assert.deepEqual(
      await client.receipts(500),
      ids.map((id) => ({ id, state: 2 })),
    );
  });

  test(`${protocol}: an answer may come late, and the receipt later`, async (t) => {
    const receipts = [{ after: '30ms' }];
    const smsc = await trialSmsc(t, protocol, { rules: [{ prefix: '1', answer_after: '100ms', receipts }] });
    const client = await anyClient(t, protocol, smsc.port);
    const startedAt = performance.now();
    const slow = client.send('1');
    assert.equal((await client.send('2')).code, 0);
    const { id } = await slow;
    assert.ok(performance.now() - startedAt >= 95);
    assert.equal(client.order.at(-1), 'answer');
    assert.deepEqual((await client.receipts(2))[1], { id, state: 2 });
    assert.ok(performance.now() - startedAt >= 125);
  });

  test(`${protocol}: a submit may get lost, or its answer alone, whose receipt comes all the same`, async (t) => {
    const rules = [
      { prefix: '1', answer: 'none' },
      { prefix: '2', answer: 'lost' },
    ];
    const smsc = await trialSmsc(t, protocol, { rules });
    const client = await anyClient(t, protocol, smsc.port, { limits: short });
    assert.deepEqual(await Promise.all([client.send('1'), client.send('2')]), [
      { why: 'time-out' },
      { why: 'time-out' },
    ]);
    assert.equal((await client.receipts(1))[0]?.state, 2);
    const { submits, accepted, unanswered } = smsc.counts();
    assert.deepEqual([submits, accepted, unanswered], [2, 1, 2]);
    assert.ok(await client.isAlive());
  });

  test(`${protocol}: beyond the rate submits are throttled`, async (t) => {
    const smsc = await trialSmsc(t, protocol, { rate: 10 });
    const client = await anyClient(t, protocol, smsc.port);
    const answers = await Promise.all(Array.from({ length: 15 }, () => client.send('1')));
    assert.deepEqual(
      answers.map(({ code }) => code),
      [...Array(10).fill(0), ...Array(5).fill(throttled)],
    );
    assert.equal(smsc.counts().throttled, 5);
  });

  test(`${protocol}: a share of the submits is throttled, the same for the same seed`, async (t) => {
    const codes = async (seed: string) => {
      const smsc = await trialSmsc(t, protocol, { rules: [{ share: 0.3, answer: 'throttle' }] }, { seed });
      const client = await anyClient(t, protocol, smsc.port);
      const answers = await Promise.all(Array.from({ length: 100 }, () => client.send('1')));
      return answers.map(({ code }) => code);
    };
    const first = await codes('one');
    const count = first.filter((code) => code === throttled).length;
    assert.ok(count > 15 && count < 45, `${count}`);
    assert.deepEqual(await codes('one'), first);
    assert.notDeepEqual(await codes('another'), first);
  });

  test(`${protocol}: submits are refused with the code of the script, and have no receipts`, async (t) => {
    const rules = [{ prefix: '+852', answer: 'refuse', code: 11, answer_after: '20ms' }];
    const smsc = await trialSmsc(t, protocol, { rules });
    const client = await anyClient(t, protocol, smsc.port);
    assert.equal((await client.send('85212345678')).code, 11);
    const { id } = await client.send('8613800138000');
    assert.deepEqual(await client.receipts(1), [{ id, state: 2 }]);
    const { submits, refused, receipts } = smsc.counts();
    assert.deepEqual([submits, refused, receipts], [2, 1, 1]);
  });

  test(`${protocol}: the connection is cut after so many submits, or at a number`, async (t) => {
    const smsc = await trialSmsc(t, protocol, { disconnect_after: 3, rules: [{ prefix: '9', answer: 'disconnect' }] });
    const first = await anyClient(t, protocol, smsc.port);
    const answers = await Promise.all([1, 2, 3, 4].map((each) => first.send(`1${each}`)));
    assert.deepEqual(answers[3], { why: 'connection-ended' });
    await first.ended;
    const second = await anyClient(t, protocol, smsc.port);
    assert.deepEqual(await second.send('9'), { why: 'connection-ended' });
    const third = await anyClient(t, protocol, smsc.port);
    assert.equal((await third.send('1')).code, 0);
  });

  test(`${protocol}: a half-open connection stays, and answers nothing, not even keep-alives`, async (t) => {
    const smsc = await trialSmsc(t, protocol, { half_open_after: 2 });
    const client = await anyClient(t, protocol, smsc.port, { limits: short });
    const answers = await Promise.all([1, 2, 3, 4].map((each) => client.send(`1${each}`)));
    assert.deepEqual(
      answers.map(({ code, why }) => code ?? why),
      [0, 0, 'time-out', 'time-out'],
    );
    assert.equal(await client.isAlive(), false);
    assert.deepEqual(await client.ended, { why: 'keep-alive-unanswered' });
    const other = await anyClient(t, protocol, smsc.port);
    assert.ok(await other.isAlive());
  });
}
