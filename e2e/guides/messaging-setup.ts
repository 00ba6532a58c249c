import type { ApiParts } from '../../packages/server/src/cli/exchange/api-server.ts';
import type { World } from '../world.ts';

/** An organization that sends messages, with both kinds of pushes enabled. */
export interface Sender {
  readonly organizationId: string;
  readonly token: string;
  /** Opted out: its messages are refused, and pushed as REJECTED. */
  readonly optedOut: string;
}

/** Attempts after the first, of each kind. */
export const retriesOf = { status: 3, uplink: 2 } as const;

/** Retries after a moment instead of half a minute, and pushes to loopback. */
export const quickPushes: Readonly<Record<string, string>> = {
  WAXWING_PUSH_RETRY_WAITS: '50ms,200ms',
  WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8',
  WAXWING_LOG_LEVEL: 'info',
};

/** Makes or changes where pushes of a kind go. */
export async function setPushSetting(
  world: World,
  params: { readonly organization_id: string; readonly kind: 'status' | 'uplink' },
  body: NonNullable<ApiParts<'updatePushSetting'>['body']>,
): Promise<void> {
  await world.control.call('updatePushSetting', { params, body, readBy: 'showPushSetting' });
}

/** Makes organizations through the running server. They push to `/<index>/<kind>` of the receiver. */
export async function makeSenders(world: World, count: number, port: number): Promise<readonly Sender[]> {
  const senders: Sender[] = [];
  for (let index = 0; index < count; index += 1) {
    senders.push(await makeSender(world, `Sender ${index}`, `http://127.0.0.1:${port}/${index}`));
  }
  return senders;
}

/** Makes an organization through the running server. It pushes to `<receiverUrl>/<kind>`. */
export async function makeSender(world: World, name: string, receiverUrl: string): Promise<Sender> {
  const { id: organizationId } = await world.control.call('createOrganization', { body: { name } });
  const params = { organization_id: organizationId };
  const body = { name: 'story', allow: ['127.0.0.1'] };
  const { token } = await world.control.call('createMessagingKey', { params, body });
  for (const kind of ['status', 'uplink'] as const) {
    const url = `${receiverUrl}/${kind}`;
    const setting = { url, enabled: true, retries: retriesOf[kind], timeout_seconds: 2 };
    await setPushSetting(world, { ...params, kind }, setting);
  }
  const optedOut = '+8613900001234';
  await world.control.call('addOptOut', { params, body: { number: optedOut } });
  return { organizationId, token, optedOut };
}
