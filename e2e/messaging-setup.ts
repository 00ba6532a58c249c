import type { World } from './world.ts';

/** An organization that sends messages and has both kinds of pushes switched on. */
export interface Sender {
  readonly organizationId: string;
  readonly token: string;
  /** Wants no messages: they are refused, and pushed as REJECTED. */
  readonly optedOut: string;
}

/** Attempts after the first, of each kind. */
export const retriesOf = { status: 3, uplink: 2 } as const;

/** Settings under which a retry takes a moment instead of half a minute, and loopback may be pushed to. */
export const quickPushes: Readonly<Record<string, string>> = {
  WAXWING_PUSH_RETRY_WAITS: '50ms,200ms',
  WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8',
  WAXWING_LOG_LEVEL: 'info',
};

/** Makes organizations through the running server. Their pushes go to `/<index>/<kind>` of the receiver. */
export async function makeSenders(world: World, count: number, port: number): Promise<readonly Sender[]> {
  const senders: Sender[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id: organizationId } = await world.control<{ id: string }>('organization create', {
      name: `Sender ${index}`,
    });
    const { token } = await world.control<{ token: string }>('messaging-key create', {
      organizationId,
      name: 'story',
      allow: ['127.0.0.1'],
    });
    for (const kind of ['status', 'uplink'] as const) {
      const url = `http://127.0.0.1:${port}/${index}/${kind}`;
      const setting = { organizationId, kind, url, enabled: true, retries: retriesOf[kind], timeoutSeconds: 2 };
      await world.control('push-setting set', setting);
    }
    const optedOut = '+8613900001234';
    await world.control('opt-out add', { organizationId, number: optedOut });
    senders.push({ organizationId, token, optedOut });
  }
  return senders;
}
