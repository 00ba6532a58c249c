import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smppAnswer, smppReceipt, smppSmsc, smscSecret } from '../carriers/links/scripted-smsc.testing.ts';
import { applicationOn } from '../cli/application.testing.ts';
import { onBothDatabases } from '../database/testing.ts';
import { never } from '../runtime/wait.ts';
import { startServer } from '../start-server.ts';

onBothDatabases('a server with carriers that operators set up', (_open, kind) => {
  test('what a carrier without a link cannot take goes to the next one, and the receipt settles it', async (t) => {
    const application = await (await applicationOn(t, kind, { WAXWING_LISTEN: '127.0.0.1:0' }))();
    const { messaging, organizations, database } = application;
    const closed = await smppSmsc(t);
    await closed.close();
    const smsc = await smppSmsc(t, { answer: (submit, number) => smppAnswer(submit, `m${number}`) });
    const carrierAt = (name: string, port: number, priority: number) =>
      messaging.manageCarriers.create('test', {
        ...{ name, priority, protocol: 'smpp', account: 'acme', password: smscSecret },
        address: `127.0.0.1:${port}`,
      });
    const dead = await carrierAt('dead', closed.port, 1);
    const alive = await carrierAt('alive', smsc.port, 2);
    const server = await startServer(application);
    t.after(() => server.stop());

    const { id: organizationId } = await organizations.create('test', 'Acme');
    await messaging.sendByHand('test', organizationId, { mobile: '+8613800138000', content: 'Hello' });
    await smsc.received(1);
    const message = () => database.db.selectFrom('message').selectAll().executeTakeFirstOrThrow();
    while ((await message()).carrier_id === null) await new Promise((resolve) => setTimeout(resolve, 20));
    await smsc.send(smppReceipt('m1'));
    const { status, carrier_id, carrier_reason, simulated } = await message();
    assert.deepEqual([status, carrier_id, simulated], ['DELIVRD', alive, 0]);
    assert.match(carrier_reason ?? '', /^next after dead, which has been down since /);

    const states = new Map((await messaging.carriers.list()).map(({ id, state }) => [id, state]));
    assert.deepEqual(
      [states.get(dead), states.get(alive), states.get('simulator')],
      [...['connecting', 'bound', 'disabled']],
    );
    const { connections } = await messaging.carriers.show(dead);
    assert.match(connections[0]?.last_error ?? '', /ECONNREFUSED/);

    await messaging.manageCarriers.setEnabled('test', alive, false);
    const tested = await messaging.testCarrier('test', alive, { to: '+8613800138001' }, never);
    assert.deepEqual([tested.ok, tested.steps.length, tested.message_id], [true, 4, 'm2']);
  });
});
