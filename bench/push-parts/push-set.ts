import type { Application } from '../../packages/server/src/compose.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An organization with a status setting for each URL, made by the ordinary operations. @returns their ids, in order */
export async function makePushSet({ organizations, messaging }: Application, urls: readonly string[]) {
  const ids: string[] = [];
  for (const url of urls) {
    const { id: organizationId } = await organizations.create('bench', `Bench ${url}`);
    await messaging.pushSettings.set('bench', { organizationId, kind: 'status', url, enabled: true });
    ids.push(organizationId);
  }
  return ids;
}

/** As many different URLs at one receiver. */
export function urlsAt(receiver: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${receiver}/push/${index}`);
}

/** Organizations as an environment passes them to a process. */
export function pushSet(organizationIds: readonly string[]): { readonly BENCH_SET: string } {
  return { BENCH_SET: organizationIds.join(',') };
}

export function readPushSet({ BENCH_SET = '' }: Environment): readonly string[] {
  return BENCH_SET.split(',');
}
