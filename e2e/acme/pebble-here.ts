import {
  respondFrom,
  startNameServer,
  trialRecord,
} from '../../packages/server/src/certificates/acme/dns/name-server.testing.ts';
import {
  type Pebble,
  type PebbleOptions,
  startPebble,
} from '../../packages/server/src/certificates/acme/protocol/pebble.testing.ts';

/**
 * Pebble with real validation on loopback: a name server of its own leads the name to this machine.
 * @param options with the ports at which it looks for proofs
 */
export async function startPebbleHere(
  name: string,
  options: PebbleOptions & { readonly httpPort: number },
): Promise<Pebble> {
  const names = await startNameServer(respondFrom(() => [trialRecord(name, 'A', '127.0.0.1')]));
  const pebble = await startPebble({ ...options, dnsServer: `127.0.0.1:${names.port}` });
  return {
    ...pebble,
    async [Symbol.asyncDispose]() {
      await pebble[Symbol.asyncDispose]();
      await names[Symbol.asyncDispose]();
    },
  };
}
