import { type AddressSet, type IpAddress, parseAddress } from '../http/request/ip-address.ts';
import type { ResolveHost } from './host-resolver.ts';
import type { OwnEndpoints } from './own-endpoints.ts';
import { isPublicAddress, scopeOf } from './public-address.ts';
import { isLocalName, type ParsedTarget, parseTargetUrl, type TargetFault, type TargetUrl } from './target-url.ts';

/** Where requests may go. Used on a literal host, on every resolved address, and on the peer of each connection. */
export interface TargetGuard {
  /** Networks that the operator has opened although they are not public. */
  readonly allowed: AddressSet;
  readonly own: OwnEndpoints;
  readonly resolve: ResolveHost;
}

export type BlockedReason = 'local-name' | 'not-public' | 'own-address';

/** What became of a host: addresses that may all be dialled (at least one), or why none is. */
export type HostVerdict =
  | { readonly kind: 'admitted'; readonly addresses: readonly IpAddress[] }
  | { readonly kind: 'blocked'; readonly why: BlockedReason; readonly address?: string }
  | { readonly kind: 'unresolved'; readonly code: string };

/** Why an address may not be dialled; undefined when it may. */
export function blockedReason(address: IpAddress, port: number, guard: TargetGuard): BlockedReason | undefined {
  if (guard.own.has(address, port)) return 'own-address';
  return isPublicAddress(address, guard.allowed) ? undefined : 'not-public';
}

/**
 * Whether the answer of an address may be shown. Only content of public addresses is, so that no customer reads private
 * pages.
 */
export function mayShowAnswer(address: IpAddress): boolean {
  return scopeOf(address) === 'public';
}

/**
 * Looks a target's host up and judges every address. One that is not admitted refuses them all: a name that mixes
 * public and private addresses is either a mistake or an attempt to get in by luck. Never rejects.
 */
export async function judgeHost(target: TargetHost, guard: TargetGuard): Promise<HostVerdict> {
  if (isLocalName(target.host)) return { kind: 'blocked', why: 'local-name' };
  const found = target.address === undefined ? await lookUp(target.host, guard.resolve) : [target.address];
  if ('code' in found) return { kind: 'unresolved', code: found.code };
  for (const address of found) {
    const why = blockedReason(address, target.port, guard);
    if (why !== undefined) return { kind: 'blocked', why, address: address.text };
  }
  return { kind: 'admitted', addresses: found };
}

/** A host and a port that requests go to. */
export type TargetHost = Pick<TargetUrl, 'host' | 'address' | 'port'>;

interface SavedTarget {
  readonly guard: TargetGuard;
  /** The setting by which the operator opens networks to the guard. */
  readonly openedBy?: 'WAXWING_PUSH_ALLOW_NETWORKS' | 'WAXWING_ACME_ALLOW_NETWORKS';
}

/** Everything that is checked when a URL is saved; see `parseTargetUrl` and `judgeHost`. Never rejects. */
export async function checkTargetUrl(
  text: string,
  context: SavedTarget & { readonly ourParameters?: readonly string[] },
): Promise<ParsedTarget> {
  const parsed = parseTargetUrl(text, context.ourParameters);
  if (!parsed.ok) return parsed;
  const fault = await findHostFault(parsed.target, context);
  return fault === undefined ? parsed : { ok: false, fault };
}

/** Why a host is not saved; undefined when it may be. Never rejects. */
export async function findHostFault(
  target: TargetHost,
  { guard, openedBy = 'WAXWING_PUSH_ALLOW_NETWORKS' }: SavedTarget,
): Promise<TargetFault | undefined> {
  const verdict = await judgeHost(target, guard);
  if (verdict.kind === 'admitted') return undefined;
  const { host, port } = target;
  if (verdict.kind === 'unresolved') {
    const message = `The name ${host} does not resolve (${verdict.code}); correct it or publish it in DNS.`;
    return { code: 'unresolved', message };
  }
  const words = blockedMessages[verdict.why];
  return { code: verdict.why, message: words({ host, port, address: verdict.address, openedBy }) };
}

interface BlockedHost extends Required<Pick<SavedTarget, 'openedBy'>> {
  readonly host: string;
  readonly port: number;
  readonly address: string | undefined;
}

const blockedMessages: Readonly<Record<BlockedReason, (blocked: BlockedHost) => string>> = {
  'local-name': ({ host, openedBy }) =>
    `${host} is this machine itself; write a public address. ` +
    `For a trial write 127.0.0.1, and let the operator admit it by ${openedBy}=127.0.0.0/8.`,
  'own-address': ({ host, port }) =>
    `${host} with port ${port} is this service itself; write the address of another server.`,
  'not-public': ({ host, address, openedBy }) =>
    `${address === host ? host : `${host} (${address})`} is not a public address. ` +
    `In a closed network the operator can admit it by ${openedBy}.`,
};

async function lookUp(name: string, resolve: ResolveHost): Promise<readonly IpAddress[] | { readonly code: string }> {
  try {
    const addresses = (await resolve(name)).map(parseAddress);
    // An address that cannot be read cannot be judged.
    if (addresses.length === 0 || addresses.includes(undefined)) return { code: 'ENODATA' };
    return addresses.filter((address) => address !== undefined);
  } catch (error) {
    return { code: codeOf(error) };
  }
}

/** The `code` of a system error, for outcomes and messages. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}
