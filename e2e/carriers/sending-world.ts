import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Arrival, startDemoReceiver } from '../demo-receiver.ts';
import { makeSender, quickPushes } from '../guides/messaging-setup.ts';
import { makeWorld, type World } from '../world.ts';

export interface ShownCarrier {
  readonly id: string;
  readonly state: string;
  readonly connections: readonly { readonly state: string; readonly last_error: string | null }[];
  readonly submitted: number;
  readonly accepted: number;
  readonly throttled: number;
  readonly receipts: number;
  readonly unmatched_receipts: number;
  readonly last_keep_alive_at: string | null;
}

/** A running server, one organization that sends, and the pushes that come to it. */
export interface SendingWorld extends AsyncDisposable {
  readonly world: World;
  /** Sends one message by HTTP. */
  send(message: { readonly mobile: string; readonly content: string; readonly sender?: string }): Promise<void>;
  /** Waits for this many pushes. Their order is that of their arrival. */
  pushes(count: number): Promise<readonly Arrival[]>;
  /** Sets a carrier up by the command line. @param options without name, account and password */
  createCarrier(name: string, account: Account, options: readonly string[]): Promise<void>;
  /** Asks until the carrier is as wanted. The test's limit ends it. */
  carrierThat(name: string, isAsWanted: (carrier: ShownCarrier) => boolean): Promise<ShownCarrier>;
}

export interface Account {
  readonly id: string;
  readonly password: string;
}

export async function makeSendingWorld(): Promise<SendingWorld> {
  const world = await makeWorld('sqlite', quickPushes);
  const receiver = await startDemoReceiver();
  await world.start();
  const { token } = await makeSender(world, 'Story', receiver.url);
  return {
    world,
    async send(message) {
      const answer = await fetch(`${world.url}/api/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(message),
      });
      if (answer.status !== 200) throw new Error(`sending was answered ${answer.status}: ${await answer.text()}`);
    },
    async pushes(count) {
      const arrived: Arrival[] = [];
      while (arrived.length < count) arrived.push(await receiver.next());
      return arrived;
    },
    async createCarrier(name, { id, password }, options) {
      const file = world.path(`${name}.password`);
      writeFileSync(file, password);
      const known = ['--name', name, '--account', id, '--password-file', file];
      await world.json('carrier', 'create', ...known, ...options);
    },
    async carrierThat(name, isAsWanted) {
      const known = (await world.control.list('listCarriers')).find((carrier) => carrier.name === name);
      if (known === undefined) throw new Error(`there is no carrier ${name}`);
      for (;;) {
        const carrier = await world.control.call('showCarrier', { params: { carrier_id: known.id } });
        if (isAsWanted(carrier)) return carrier;
        await delay(100);
      }
    },
    async [Symbol.asyncDispose]() {
      await world.end();
      receiver.close();
    },
  };
}
