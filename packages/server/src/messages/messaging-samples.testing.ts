import type { Application } from '../compose.ts';
import { newId } from '../runtime/clock.ts';

export interface Samples {
  /** Ids of things that are made for the call, by the name of the path's parameter. */
  readonly makers: Readonly<Record<string, () => Promise<string>>>;
  /** Bodies that are accepted, by operation. */
  readonly bodies: Readonly<Record<string, () => unknown>>;
}

/** What the operations of the message gateway are tried with, in one organization. */
export function messagingSamples({ messaging, database, clock }: Application, organizationId: string): Samples {
  const { blockedLists } = messaging;

  async function setPush(): Promise<string> {
    const setting = { organizationId, kind: 'status', url: 'http://127.0.0.1:9/?key=1', enabled: true } as const;
    return (await messaging.pushSettings.set('test', setting)).setting.id;
  }

  /** A push that has failed: it can be shown, and sent again. */
  async function makePush(): Promise<string> {
    const setting_id = await setPush();
    const id = newId(clock.now());
    await database.db
      .insertInto('push_history')
      .values({
        ...{ organization_id: organizationId, id, setting_id, state: 'failed', attempts: 1 },
        ...{ created_at: clock.now(), ended_at: clock.now(), at: clock.now(), ms: 7, address: '192.0.2.1' },
        ...{ outcome: 'answered', status: 500, error: null, excerpt: 'no' },
        payload: JSON.stringify({ batch_id: 'b', mobile: '+8613800138000', status: 'DELIVRD' }),
      })
      .execute();
    return id;
  }

  const message = { mobile: '+8613800138000', content: 'Hello' };
  const newWord = () => `word ${crypto.randomUUID()}`;
  let numbers = 8_613_800_000_000;
  function newNumber(): string {
    numbers += 1;
    return `+${numbers}`;
  }
  const newRoute = () => ({ carrier: 'simulator', kind: 'number', address: newNumber() }) as const;

  const newCarrier = () => ({
    ...{ name: crypto.randomUUID(), protocol: 'smpp' as const, address: '127.0.0.1:9' },
    ...{ account: 'acme', password: 'secret', enabled: false },
  });
  /** There may only be so many. */
  async function createCarrier(): Promise<string> {
    const former = (await messaging.carriers.list()).filter(({ simulated }) => !simulated);
    if (former.length > 50) for (const { id } of former) await messaging.manageCarriers.delete('test', id);
    return messaging.manageCarriers.create('test', newCarrier());
  }

  function blockedBodies(number: string, word: string, owner: string): Samples['bodies'] {
    return {
      [`add${number}`]: () => ({ number: newNumber() }),
      [`add${word}`]: () => ({ word: newWord() }),
      [`remove${number}`]: async () => ({ number: (await blockedLists.addNumber('test', owner, newNumber())).number }),
      [`remove${word}`]: async () => ({ word: (await blockedLists.addWord('test', owner, newWord())).word }),
    };
  }

  return {
    makers: {
      batch_id: () => messaging.sends.send({ organizationId, keyId: '', idempotencyKey: undefined, body: message }),
      position: async () => '0',
      messaging_key_id: async () =>
        (await messaging.keys.create('test', { organizationId, name: 'key', allow: [] })).messagingKey.id,
      async kind() {
        await setPush();
        return 'status';
      },
      push_id: makePush,
      carrier_id: createCarrier,
      route_id: async () => (await messaging.routes.add('test', { organizationId, ...newRoute() })).id,
    },
    bodies: {
      sendByHand: () => message,
      previewMessage: () => ({ content: 'Hello' }),
      updateMessagingSettings: () => ({ default_region: 'CN' }),
      updateQuotas: () => ({ messages_per_second: null }),
      createMessagingKey: () => ({ name: 'new', allow: ['::1'] }),
      updateMessagingKey: () => ({ name: 'renamed' }),
      updatePushSetting: () => ({ url: 'http://127.0.0.1:9/?key=2', retries: 2 }),
      async setPushSecret() {
        // Only so many sign at once.
        await messaging.pushSettings.set('test', { organizationId, kind: 'status', secret: 'none' });
        return {};
      },
      resendPushes: async () => ({ push_ids: [await makePush()] }),
      async createResend() {
        await setPush();
        // Only so many may be under way, and here nobody works on them.
        await database.db.deleteFrom('push_resend').execute();
        return { kind: 'status', which: 'failed' };
      },
      replyBySimulator: () => ({ from: '+8613800138000', to: '106', text: 'Hello' }),
      createCarrier: newCarrier,
      updateCarrier: () => ({ name: crypto.randomUUID(), window: 20 }),
      addRoute: () => ({ organization_id: organizationId, ...newRoute() }),
      addOptOut: () => ({ number: newNumber() }),
      removeOptOut: async () => ({
        number: (await messaging.optOuts.add('test', organizationId, newNumber())).number,
      }),
      ...blockedBodies('BlockedNumber', 'BlockedWord', organizationId),
      ...blockedBodies('InstanceBlockedNumber', 'InstanceBlockedWord', ''),
    },
  };
}
