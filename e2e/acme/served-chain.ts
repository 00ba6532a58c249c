import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { mustRun, type World } from '../world.ts';

/** Fails unless openssl accepts the chain for the name. @param roots the file of the root @returns the leaf */
export async function verifyChain(world: World, pem: string, roots: string, host: string): Promise<X509Certificate> {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const [leaf = '', ...others] = blocks;
  writeFileSync(world.path('leaf.pem'), leaf);
  writeFileSync(world.path('others.pem'), others.join('\n'));
  await mustRun('openssl', [
    ...['verify', '-CAfile', roots, '-untrusted', world.path('others.pem')],
    ...[isIP(host) === 0 ? '-verify_hostname' : '-verify_ip', host, world.path('leaf.pem')],
  ]);
  return new X509Certificate(leaf);
}

/** What a deployment fetches. */
export async function download(world: World, token: string, query = ''): Promise<string> {
  const answer = await fetch(`${world.url}/api/download${query}`, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.text();
}
