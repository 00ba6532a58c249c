import ipaddr from 'ipaddr.js';
import type { Settings } from './settings.ts';

/** Whether the listener may be opened: why, or what to tell the operator. */
type ListenerVerdict =
  | { readonly allowed: true; readonly because: 'loopback' | 'tls' | 'trusted proxies' | 'plain http allowed' }
  | { readonly allowed: false; readonly message: string };

type Facts = Pick<Settings, 'listen' | 'tlsCertificate' | 'trustedProxies' | 'plainHttp'>;

/** Private keys leave here: only by loopback, TLS, trusted proxies, or explicit plain HTTP (contract §1). */
export function listenerVerdict({ listen, tlsCertificate, trustedProxies, plainHttp }: Facts): ListenerVerdict {
  if (isLoopback(listen.host)) return { allowed: true, because: 'loopback' };
  if (tlsCertificate !== undefined) return { allowed: true, because: 'tls' };
  if (trustedProxies.length > 0) return { allowed: true, because: 'trusted proxies' };
  if (plainHttp === 'allow') return { allowed: true, because: 'plain http allowed' };
  return {
    allowed: false,
    message:
      `${listen.host} is not a loopback address: private keys would be sent unencrypted. Set WAXWING_TLS_CERTIFICATE ` +
      'and WAXWING_TLS_KEY, or name your reverse proxy in WAXWING_TRUSTED_PROXIES, or listen on 127.0.0.1. ' +
      'WAXWING_PLAIN_HTTP=allow accepts the risk.',
  };
}

function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}
