import type { KnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import type { Ground } from './audit/ground.ts';
import type { AcmeParts } from './certificates/acme/acme-parts.ts';
import { type Authorities, createAuthorities } from './certificates/acme/authorities/manage-authorities.ts';
import { createIssuing } from './certificates/acme/create-issuing.ts';
import { createAcmeEngine } from './certificates/acme/orders/acme-engine.ts';
import { createDnsProviders, type DnsProviders } from './certificates/acme/proofs/manage-dns-providers.ts';
import { type CertificateRequests, createCertificateRequests } from './certificates/acme/requests/manage-requests.ts';
import { sealedAuthorities, sealedDnsProviders, sealedOrderKeys } from './certificates/acme/sealed-acme.ts';
import type { Issuing } from './certificates/issuing.ts';
import { createAcmeParts } from './compose-acme-parts.ts';
import type { Settings } from './config/settings.ts';
import type { SealedStore } from './instance/master-keys.ts';
import { rateLimitedLog } from './runtime/rate-limited-log.ts';
import type { Worker } from './runtime/supervisor.ts';
import type { Telemetry } from './runtime/telemetry.ts';
import type { KeyRing } from './secrets/key-ring.ts';

/** Certificates that are issued here: what is asked for, and the worker that obtains it. */
export interface Acme {
  readonly authorities: Authorities;
  readonly dnsProviders: DnsProviders;
  readonly requests: CertificateRequests;
  /** What certificates need of their issuing. */
  readonly issuing: Issuing;
  readonly sealedStores: readonly SealedStore[];
  readonly parts: AcmeParts;
  /** Only servers run it. */
  createWorker(): Worker;
  close(): Promise<void>;
}

interface AcmeNeeds {
  readonly ground: Ground;
  readonly settings: Settings;
  readonly nodeId: string;
  readonly telemetry: Telemetry;
  readonly ring: () => KeyRing;
  readonly known: KnownAuthorities;
  readonly ownPorts: () => readonly number[];
  /** PEM of `WAXWING_EXTRA_ROOTS`. */
  readonly extraRoots: string | undefined;
  /** By default the real ones. */
  readonly parts?: AcmeParts | undefined;
}

const logLinesPerMinute = 60;

export function composeAcme(needs: AcmeNeeds): Acme {
  const { ground, settings, nodeId, telemetry, ring, known } = needs;
  const { database, clock } = ground;
  const log = rateLimitedLog(telemetry.log, logLinesPerMinute, clock);
  const real = createAcmeParts({ ...needs, clock, log });
  const parts = needs.parts ?? real;
  const zone = settings.dnsZone;
  const orderNeeds = { ...ground, ring, known, parts, zone, random: Math.random };
  return {
    authorities: createAuthorities({ ...ground, ring, parts }),
    dnsProviders: createDnsProviders({ ...ground, ring, parts }),
    requests: createCertificateRequests({
      ...{ ...ground, parts, zone },
      answersTlsAlpn: settings.tlsAlpnListen !== undefined,
    }),
    issuing: createIssuing(orderNeeds),
    sealedStores: [sealedAuthorities(database), sealedDnsProviders(database), sealedOrderKeys(database)],
    parts,
    createWorker: () =>
      createAcmeEngine({
        ...orderNeeds,
        nodeId,
        leaseMs: settings.pushLease,
        log,
      }).worker,
    close: real.close,
  };
}
