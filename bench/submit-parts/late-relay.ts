import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A listener on loopback that passes on what comes for a port, in both directions, so many milliseconds late: a long
 * way, of any width. Timers are late by half a millisecond on average, and it is longer by that.
 */
export async function relayLate(port: number, delayMs: number): Promise<Server> {
  const relay = createServer({ noDelay: true }, (client) => {
    const carrier = connect({ port, host: '127.0.0.1', noDelay: true });
    passLate(client, carrier, delayMs);
    passLate(carrier, client, delayMs);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return relay;
}

/** Timers of the same length end in the order in which they began. */
function passLate(from: Socket, to: Socket, delayMs: number): void {
  from.on('data', (octets) => setTimeout(() => to.write(octets), delayMs));
  from.on('close', () => setTimeout(() => to.destroy(), delayMs));
  from.on('error', () => from.destroy());
}
