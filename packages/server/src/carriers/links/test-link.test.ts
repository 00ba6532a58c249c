import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../runtime/clock.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { never } from '../../runtime/wait.ts';
import type { CarrierSettings } from '../stored-carrier.ts';
import { cmppDialect } from './cmpp-dialect.ts';
import { linkSettings, planOf, samplePart } from './link-carrier.testing.ts';
import { cmppSmsc, smppAnswer, smppSmsc, smscSecret } from './scripted-smsc.testing.ts';
import { smppDialect } from './smpp-dialect.ts';
import { testLink } from './test-link.ts';

const smppTest = (settings: CarrierSettings, message = false, password = smscSecret) =>
  testLink(
    {
      plan: planOf(settings, password),
      dialect: smppDialect(settings, new SecretText(password)),
      clock: systemClock,
    },
    message ? samplePart() : undefined,
    never,
  );

test('an SMPP carrier is bound, asked, and sent a message', async (t) => {
  const smsc = await smppSmsc(t);
  const { steps, error, messageId } = await smppTest(linkSettings('smpp', { address: `127.0.0.1:${smsc.port}` }), true);
  assert.deepEqual(
    [steps.map(({ name }) => name), error, messageId],
    [['connect', 'bind', 'enquire', 'submit'], undefined, 'id-1'],
  );
  assert.equal(smsc.sessions.size, 0);
});

test('a CMPP carrier is bound and asked by an active test', async (t) => {
  const smsc = await cmppSmsc(t, 'cmpp2');
  const settings = linkSettings('cmpp2', { address: `127.0.0.1:${smsc.port}`, account: '901234' });
  const dialect = cmppDialect(settings, new SecretText(smscSecret));
  const plan = planOf(settings, smscSecret);
  const { steps, error } = await testLink({ plan, dialect, clock: systemClock }, undefined, never);
  assert.deepEqual([steps.map(({ name }) => name), error], [['connect', 'bind', 'active-test'], undefined]);
});

test('each fault is told with what worked before it', async (t) => {
  const smsc = await smppSmsc(t, { answer: (submit) => smppAnswer(submit, '', 0x0b) });
  const settings = linkSettings('smpp', { address: `127.0.0.1:${smsc.port}` });
  const refused = await smppTest(settings, false, 'wrong');
  assert.deepEqual(
    [refused.steps.map(({ name }) => name), refused.error],
    [['connect'], 'the carrier refused the bind: ESME_RINVPASWD (0x0000000e)'],
  );
  const unsent = await smppTest(settings, true);
  assert.match(unsent.error ?? '', /refused the message: destination address invalid/);
  await smsc.close();
  assert.match((await smppTest(settings)).error ?? '', /ECONNREFUSED/);
});
