import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ListenAddress } from '../../config/setting-kinds.ts';
import type { Settings } from '../../config/settings.ts';
import { listenProblem } from '../../http/listen-problem.ts';
import { type Check, fail, messageOf, warn } from '../../instance/doctor/doctor-check.ts';
import { codeOf } from '../person-files.ts';

/**
 * Tries the listen addresses as a server would, because only an attempt tells. A running server occupies its own.
 * @returns the faults
 */
export async function tryListeners(settings: Settings): Promise<readonly Check[]> {
  const { listen, metricsListen, http01Listen, tlsAlpnListen, dnsListen } = settings;
  const faults = [await tryListener('listener', 'WAXWING_LISTEN', listen)];
  const issues = settings.modules.includes('certificates');
  const others = [
    ['metrics_listener', 'WAXWING_METRICS_LISTEN', metricsListen],
    ['http01_listener', 'WAXWING_HTTP01_LISTEN', http01Listen],
    ['tls_alpn_listener', 'WAXWING_TLS_ALPN_LISTEN', tlsAlpnListen],
    ['dns_listener', 'WAXWING_DNS_LISTEN', dnsListen],
  ] as const;
  for (const [name, setting, address] of others) {
    if (address !== undefined && (name === 'metrics_listener' || issues))
      faults.push(await tryListener(name, setting, address));
  }
  return faults.filter((fault) => fault !== undefined);
}

async function tryListener(name: string, setting: string, address: ListenAddress): Promise<Check | undefined> {
  const server = createServer();
  try {
    server.listen(address.port, address.host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return undefined;
  } catch (error) {
    const fault = messageOf(listenProblem(setting, address, error));
    // A service manager can give the server a right that whoever asks the doctor does not have.
    const state = codeOf(error) === 'EACCES' ? warn : fail;
    const remedy = 'Stop the program that listens there, or set another address.';
    return state(name, 'listener_unusable', { fault }, fault, remedy);
  }
}
