import { setTimeout as delay } from 'node:timers/promises';
import { makeSenders, quickPushes, type Sender } from '../guides/messaging-setup.ts';
import type { PushRecorder } from '../loss/push-recorder.ts';
import { makeWorld, type World } from '../world.ts';

/** A server with one organization that sends. */
export interface CarrierWorld {
  readonly world: World;
  readonly sender: Sender;
  /** Sends one text to each phone. @returns the id of the batch */
  send(mobiles: readonly string[], content: string, from?: string): Promise<string>;
  /** Waits until all messages of a batch have their final status. */
  statuses(batchId: string): Promise<readonly string[]>;
}

export interface BatchAnswer {
  readonly data: { readonly messages: readonly { readonly status?: string | null }[] };
}

export async function openCarrierWorld(recorder: PushRecorder): Promise<CarrierWorld> {
  const world = await makeWorld('sqlite', quickPushes);
  await world.start();
  const [sender] = await makeSenders(world, 1, recorder.port);
  if (sender === undefined) throw new Error('there is nobody who sends');
  const headers = { authorization: `Bearer ${sender.token}`, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${world.url}${path}`, { headers, ...init });
    if (answer.status !== 200) throw new Error(`${path} → ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    world,
    sender,
    async send(mobiles, content, from) {
      const body = JSON.stringify({ mobiles, content, ...(from !== undefined && { sender: from }) });
      const { data } = (await ask('/api/messages', { method: 'POST', body })) as { data: { batch_id: string } };
      return data.batch_id;
    },
    async statuses(batchId) {
      for (;;) {
        const { data } = (await ask(`/api/messages/${batchId}`)) as BatchAnswer;
        const statuses = data.messages.map(({ status }) => status);
        if (statuses.every((status) => typeof status === 'string')) return statuses as string[];
        await delay(50);
      }
    },
  };
}

/** Creates a carrier by the command line. @returns its id */
export async function createCarrierAt(
  { waxwing, json }: Pick<World, 'waxwing' | 'json'>,
  port: number,
  { protocol, account, password }: { readonly protocol: string; readonly account: string; readonly password: string },
  ...options: readonly string[]
): Promise<string> {
  const named = ['--name', `${protocol}-${port}`, '--protocol', protocol, '--account', account];
  const made = await waxwing(
    ['carrier', 'create', ...named, '--address', `127.0.0.1:${port}`, '--password-stdin', '--json', ...options],
    `${password}\n`,
  );
  if (made.code !== 0) throw new Error(made.stderr);
  const { id } = JSON.parse(made.stdout) as { id: string };
  await json('carrier', 'show', id);
  return id;
}

/** Waits until a carrier is in a state. */
export async function untilState({ json }: Pick<World, 'json'>, id: string, wanted: string): Promise<ShownCarrier> {
  for (;;) {
    const shown = await json<ShownCarrier>('carrier', 'show', id);
    if (shown.state === wanted) return shown;
    await delay(100);
  }
}

export interface ShownCarrier {
  readonly state: string;
  readonly throttled: number;
  readonly receipts: number;
  readonly unmatched_receipts: number;
  readonly last_keep_alive_at: string | null;
  readonly connections: readonly { readonly state: string; readonly last_error: string | null }[];
}
