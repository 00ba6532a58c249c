import { once } from 'node:events';
import { createServer, type SecureContext, type Server } from 'node:tls';
import type { Database } from '../../../database/database.ts';
import { listenProblem } from '../../../http/listen-problem.ts';
import type { AcmeParts } from '../acme-parts.ts';
import { findAlpnAnswer } from '../orders/proof-store.ts';
import { provedName } from './alpn-name.ts';

interface AlpnListenerNeeds {
  readonly database: Pick<Database, 'db'>;
  readonly parts: Pick<AcmeParts, 'alpnCertificate'>;
}

const protocol = 'acme-tls/1';
const mostConnections = 1_000;
const handshakeMs = 10_000;

/**
 * Answers TLS-ALPN-01 (RFC 8737) from the database, so by any server. It has no other certificate: any other handshake
 * fails, and a connection ends after its own.
 * @throws Problem that names WAXWING_TLS_ALPN_LISTEN when the address cannot be listened on
 */
export async function listenForAlpnChallenges(
  { database, parts }: AlpnListenerNeeds,
  address: { readonly host: string; readonly port: number },
): Promise<Server> {
  async function contextOf(sni: string): Promise<SecureContext> {
    const name = provedName(sni);
    const answer = await findAlpnAnswer(database.db, name);
    if (answer === undefined) throw new Error('there is no challenge for this name');
    return parts.alpnCertificate(name, answer);
  }
  const server = createServer({
    ALPNProtocols: [protocol],
    handshakeTimeout: handshakeMs,
    minVersion: 'TLSv1.2',
    SNICallback(name, done) {
      contextOf(name).then(
        (context) => done(null, context),
        (error: Error) => done(error),
      );
    },
  });
  server.on('secureConnection', (socket) => socket.end());
  // Whoever asks for no name, or for one that is not proved here.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.maxConnections = mostConnections;
  try {
    server.listen(address.port, address.host);
    await once(server, 'listening');
  } catch (error) {
    throw listenProblem('WAXWING_TLS_ALPN_LISTEN', address, error);
  }
  return server;
}
