import { Resolver } from 'node:dns/promises';

/**
 * Every address of a name, IPv4 first. Rejects with an error that has a `code` when there is none or nobody answers.
 */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

/**
 * Asks DNS directly. Not `dns.lookup`: it runs in the four threads that file access shares, so a few names whose
 * servers do not answer would stop everybody's pushes and more. The price: the hosts file, search domains and mDNS do
 * not count.
 */
export function dnsResolver(resolver = new Resolver({ timeout: 2000, tries: 2 })): ResolveHost {
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    // The reason of the first says more: a second family that is missing is the ordinary case.
    throw answers.find((answer) => answer.status === 'rejected')?.reason ?? noAddress(name);
  };
}

function noAddress(name: string): Error {
  return Object.assign(new Error(`${name} has no address`), { code: 'ENODATA' });
}
