import { networkInterfaces } from 'node:os';
import { type IpAddress, networkSet, parseAddress } from '../http/request/ip-address.ts';
import { hiddenIpv4 } from './public-address.ts';

/** The sockets on which this process itself listens. */
export interface OwnEndpoints {
  has(address: IpAddress, port: number): boolean;
}

/**
 * Any address of this machine together with a port we listen on, whichever address that listener is bound to: an
 * address added tomorrow, or a listener moved to another one, opens no way back into ourselves.
 *
 * @param ports the ports we listen on; asked each time, since port 0 becomes known only after listening
 * @param interfaces the addresses of this machine; asked only when the port is one of ours
 */
export function ownEndpoints(ports: () => readonly number[], interfaces = machineAddresses): OwnEndpoints {
  const always = networkSet(['0.0.0.0/8', '127.0.0.0/8', '::', '::1']);
  const isOwn = (address: IpAddress) =>
    always.has(address) || interfaces().some((text) => parseAddress(text)?.text === address.text);
  return {
    has(address, port) {
      if (!ports().includes(port)) return false;
      const hidden = address.family === 6 ? hiddenIpv4(address) : undefined;
      return isOwn(address) || (hidden !== undefined && isOwn(hidden));
    },
  };
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
