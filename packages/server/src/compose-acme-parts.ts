import { Resolver } from 'node:dns/promises';
import type { ProviderKind } from '@waxwing/contract/management-api/dns-provider-forms.ts';
import { renewalId } from '@waxwing/pki/renewal-id.ts';
import { readX509 } from '@waxwing/pki/x509.ts';
import type { AcmeParts, AuthorityAddress, ProviderAccount } from './certificates/acme/acme-parts.ts';
import type { DnsProvider, DnsResult } from './certificates/acme/proofs/dns-provider.ts';
import type { AcmeClient } from './certificates/acme/protocol/acme-port.ts';
import type { ProviderSetup } from './certificates/acme/providers/provider-options.ts';
import { renewalTime } from './certificates/acme/renewal/renewal-time.ts';
import type { Settings } from './config/settings.ts';
import { networkSet } from './http/request/ip-address.ts';
import type { Clock } from './runtime/clock.ts';
import { loadedOnce } from './runtime/loaded-once.ts';
import { version } from './runtime/version.ts';

interface PartsNeeds {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
  readonly ownPorts: () => readonly number[];
  /** PEM of `WAXWING_EXTRA_ROOTS`. */
  readonly extraRoots: string | undefined;
}

/** The real ones. Most is loaded when it is first used: few commands and no start need it. */
export function createAcmeParts(needs: PartsNeeds): AcmeParts & { close(): Promise<void> } {
  const { settings, clock } = needs;
  const clients = createClients(needs);
  const dns = loadedOnce(() => openDns(needs));
  return {
    client: clients.of,

    async keyAuthorization(key, token) {
      const { keyAuthorization } = await import('./certificates/acme/protocol/account-key.ts');
      return keyAuthorization(key, token);
    },

    async newKey(kind) {
      const { generateKey } = await import('@waxwing/pki/generate-key.ts');
      return generateKey(kind);
    },

    async certificateRequest(key, identifiers) {
      const { certificateRequest } = await import('@waxwing/pki/certificate-request.ts');
      return certificateRequest(
        key,
        identifiers.map(({ value }) => value),
      );
    },

    renewalId: (leaf) => renewalId(readX509(Buffer.from(leaf))),

    renewalTime: ({ now, notBefore, notAfter, window, random }) =>
      renewalTime({ notBefore, notAfter }, window ?? null, now, random),

    async alpnCertificate(name, keyAuthorization) {
      const [{ tlsAlpnCertificate }, { generateKey }, { authorizationDigest }, { writePem }, { createSecureContext }] =
        await Promise.all([
          import('@waxwing/pki/tls-alpn-certificate.ts'),
          import('@waxwing/pki/generate-key.ts'),
          import('./certificates/acme/protocol/account-key.ts'),
          import('@waxwing/pki/der/pem.ts'),
          import('node:tls'),
        ]);
      const key = await generateKey('ec256');
      const digest = authorizationDigest(keyAuthorization);
      const der = await tlsAlpnCertificate({ name, digest }, key, clock.now());
      return createSecureContext({
        cert: writePem('CERTIFICATE', der),
        key: key.export({ type: 'pkcs8', format: 'pem' }),
      });
    },

    dns: {
      async checkAccount({ kind, options, secret }) {
        const { checkProviderOptions } = await import('./certificates/acme/providers/provider-options.ts');
        const checked = checkProviderOptions(kind as ProviderKind, options, secret);
        const faults = checked.ok ? await (await dns.get()).findTargetFaults(checked.setup) : checked.faults;
        return faults.map(({ option, message }) => ({
          field: option === 'secret' ? option : `options.${option}`,
          message,
        }));
      },

      provider: async (account) => (await dns.get()).provider(account),

      async isVisible(record, signal) {
        // It is answered here, from the row that was just written. Asking by way of the outside would fail where this
        // machine cannot reach its own public address.
        if (isOurs(record.name)) return { kind: 'done' };
        return (await dns.get()).isVisible(record, signal);
      },

      findAlias: async (name, signal) => (await dns.get()).findAlias(name, isOurs, signal),
    },

    async close() {
      await clients.close();
      await dns.close();
    },
  };

  function isOurs(name: string): boolean {
    return settings.dnsZone !== undefined && name.endsWith(`.${settings.dnsZone}`);
  }
}

/** One client for each directory and its roots, kept: it knows the nonces and the directory. */
function createClients({ clock, extraRoots }: PartsNeeds) {
  const clients = new Map<string, Promise<AcmeClient & AsyncDisposable>>();

  async function open({ directory, rootPem }: AuthorityAddress) {
    const { createAcmeClient } = await import('./certificates/acme/protocol/acme-client.ts');
    const userAgent = `Waxwing/${version}`;
    const roots = [extraRoots, rootPem].filter((pem) => pem !== undefined);
    return createAcmeClient({
      ...{ directoryUrl: directory, clock, userAgent },
      ...(roots.length > 0 && { extraRoots: roots.join('\n') }),
    });
  }

  return {
    of(address: AuthorityAddress): Promise<AcmeClient> {
      const name = JSON.stringify([address.directory, address.rootPem]);
      let client = clients.get(name);
      if (client === undefined) {
        client = open(address);
        clients.set(name, client);
        client.catch(() => clients.delete(name));
      }
      return client;
    },
    async close() {
      for (const each of clients.values()) await (await each.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}

const dnsPort = 53;

/** What DNS needs of the network. Everything that an organization can name goes through the guard. */
async function openDns({ settings, clock, log, ownPorts }: PartsNeeds) {
  const [
    { GuardedAgent },
    { dnsResolver },
    { ownEndpoints },
    { isPublicAddress },
    { blockedReason },
    { createDnsClient },
    { checkPropagation },
    { findAliasTarget },
    { openProvider },
    { checkProviderOptions },
    { createSendRequest },
    { createSetChanges },
    { findTargetFaults },
  ] = await Promise.all([
    import('./outbound/guarded-agent.ts'),
    import('./outbound/host-resolver.ts'),
    import('./outbound/own-endpoints.ts'),
    import('./outbound/public-address.ts'),
    import('./outbound/target-guard.ts'),
    import('./certificates/acme/dns/dns-client.ts'),
    import('./certificates/acme/dns/check-propagation.ts'),
    import('./certificates/acme/dns/find-authoritative.ts'),
    import('./certificates/acme/providers/open-provider.ts'),
    import('./certificates/acme/providers/provider-options.ts'),
    import('./certificates/acme/providers/provider-request.ts'),
    import('./certificates/acme/providers/record-sets.ts'),
    import('./certificates/acme/providers/provider-target.ts'),
  ]);
  const allowed = networkSet(settings.acmeAllowNetworks);
  const guard = { allowed, own: ownEndpoints(ownPorts), resolve: dnsResolver() };
  const agent = new GuardedAgent({ guard, clock });
  const providerNeeds = {
    send: createSendRequest({ agent, userAgent: `Waxwing/${version}` }),
    client: createDnsClient({ mayAsk: (address, port) => blockedReason(address, port, guard) === undefined }),
    changes: createSetChanges(),
    resolve: guard.resolve,
    now: clock.now,
    log,
  };
  const authorityNeeds = {
    resolver: new Resolver({ timeout: 2_000, tries: 2 }),
    // Questions at port 53 alone: this service may be the name server that is asked.
    client: createDnsClient({ mayAsk: (address) => isPublicAddress(address, allowed) }),
    port: dnsPort,
  };
  const onlyLook = { ...authorityNeeds, wait: async () => {} };
  return {
    findTargetFaults: (setup: ProviderSetup) => findTargetFaults(setup, guard),

    provider({ kind, options, secret }: ProviderAccount): DnsProvider {
      const checked = checkProviderOptions(kind as ProviderKind, options, secret);
      if (checked.ok) return openProvider(checked.setup, providerNeeds);
      const words = checked.faults.map(({ message }) => message).join(' ');
      const refuse = async (): Promise<DnsResult> => ({ kind: 'failed', words, temporary: false });
      return { present: refuse, cleanUp: refuse, test: refuse };
    },

    async isVisible({ name, value }: { name: string; value: string }, signal: AbortSignal): Promise<DnsResult> {
      const seen = await checkPropagation(onlyLook, { name, values: [value] }, [], signal);
      return seen.kind === 'seen' ? { kind: 'done' } : { kind: 'failed', words: seen.words.join(' '), temporary: true };
    },

    findAlias: (name: string, isEnd: (target: string) => boolean, signal: AbortSignal) =>
      findAliasTarget(authorityNeeds, name, isEnd, signal),

    close: () => agent.close(),
  };
}
