import {
  respondFrom,
  startNameServer,
  trialRecord,
} from '../../packages/server/src/certificates/acme/dns/name-server.testing.ts';
import { type Pebble, startPebble } from '../../packages/server/src/certificates/acme/protocol/pebble.testing.ts';

/**
 * Pebble with real validation on loopback: a name server of its own leads the name to this machine.
 * @param ports where it looks for proofs
 */
export async function startPebbleHere(
  name: string,
  ports: { readonly httpPort: number; readonly tlsPort?: number },
): Promise<Pebble> {
  const names = await startNameServer(respondFrom(() => [trialRecord(name, 'A', '127.0.0.1')]));
  const pebble = await startPebble({ ...ports, dnsServer: `127.0.0.1:${names.port}` });
  return {
    ...pebble,
    async [Symbol.asyncDispose]() {
      await pebble[Symbol.asyncDispose]();
      await names[Symbol.asyncDispose]();
    },
  };
}
