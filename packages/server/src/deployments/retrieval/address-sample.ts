/**
 * Which addresses are told apart in counts of refusals. Whoever holds a token that is refused can send from as many
 * addresses as an IPv6 network has; so in each minute only the first ones of a deployment are named, and the rest are one.
 */
export interface AddressSample {
  /**
   * The name under which to count this address.
   * @param minute whole minutes since the epoch
   */
  name(minute: number, deploymentId: string, address: string): string;
}

/** The name of all addresses that are not named. */
export const manyAddresses = 'many';

const perDeployment = 20;
const perMinute = 10_000;

export function createAddressSample(): AddressSample {
  let current: number | undefined;
  let named = 0;
  const samples = new Map<string, Set<string>>();

  return {
    name(minute, deploymentId, address) {
      if (minute !== current) {
        current = minute;
        named = 0;
        samples.clear();
      }
      const sample = samples.get(deploymentId);
      if (sample?.has(address)) return address;
      if (named >= perMinute || (sample !== undefined && sample.size >= perDeployment)) return manyAddresses;
      named += 1;
      if (sample === undefined) samples.set(deploymentId, new Set([address]));
      else sample.add(address);
      return address;
    },
  };
}
