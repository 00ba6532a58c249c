import { parseAddress } from '../../../http/request/ip-address.ts';
import { findHostFault, type TargetGuard, type TargetHost } from '../../../outbound/target-guard.ts';
import { parseTargetUrl } from '../../../outbound/target-url.ts';
import type { OptionFault, ProviderSetup } from './provider-options.ts';

/** Whether a provider leads where requests may go, as URLs are judged when they are saved. Never rejects. */
export async function findTargetFaults(setup: ProviderSetup, guard: TargetGuard): Promise<readonly OptionFault[]> {
  const named = targetOf(setup);
  if (named === undefined) return [];
  const fault = await findHostFault(named.target, { guard, openedBy: 'WAXWING_ACME_ALLOW_NETWORKS' });
  return fault === undefined ? [] : [{ option: named.option, message: fault.message }];
}

/** The clouds have addresses of their own, which nobody sets. */
function targetOf(setup: ProviderSetup): { readonly option: string; readonly target: TargetHost } | undefined {
  if (setup.kind === 'rfc2136') {
    const host = setup.host.toLowerCase().replace(/\.$/, '');
    return { option: 'server', target: { host, port: setup.port, address: parseAddress(host) } };
  }
  const parsed = setup.kind === 'webhook' ? parseTargetUrl(setup.url) : undefined;
  return parsed?.ok ? { option: 'url', target: parsed.target } : undefined;
}
