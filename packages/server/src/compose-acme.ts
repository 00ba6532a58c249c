import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { KnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import type { Ground } from './audit/ground.ts';
import { type AcmeCertificates, createAcmeCertificates } from './certificates/acme/acme-certificates.ts';
import type { AcmeParts, KeyKind } from './certificates/acme/acme-parts.ts';
import { type Authorities, createAuthorities } from './certificates/acme/authorities/manage-authorities.ts';
import { createAcmeEngine } from './certificates/acme/orders/acme-engine.ts';
import { createDnsProviders, type DnsProviders } from './certificates/acme/proofs/manage-dns-providers.ts';
import { type CertificateRequests, createCertificateRequests } from './certificates/acme/requests/manage-requests.ts';
import { sealedAuthorities, sealedDnsProviders, sealedOrderKeys } from './certificates/acme/sealed-acme.ts';
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
  readonly issuing: AcmeCertificates;
  readonly sealedStores: readonly SealedStore[];
  readonly parts: AcmeParts;
  /** Only servers run it. */
  createWorker(): Worker;
}

interface AcmeNeeds {
  readonly ground: Ground;
  readonly settings: Settings;
  readonly nodeId: string;
  readonly telemetry: Telemetry;
  readonly ring: () => KeyRing;
  readonly known: KnownAuthorities;
  /** By default the real ones. */
  readonly parts?: AcmeParts | undefined;
}

const logLinesPerMinute = 60;

export function composeAcme(needs: AcmeNeeds): Acme {
  const { ground, settings, nodeId, telemetry, ring, known } = needs;
  const { database, clock } = ground;
  const parts = needs.parts ?? realParts(settings);
  const zone = settings.dnsZone;
  const orderNeeds = { ...ground, ring, known, parts, zone, random: Math.random };
  return {
    authorities: createAuthorities({ ...ground, ring, parts }),
    dnsProviders: createDnsProviders({ ...ground, ring, parts }),
    requests: createCertificateRequests({
      ...{ ...ground, parts, zone },
      answersTlsAlpn: settings.tlsAlpnListen !== undefined,
    }),
    issuing: createAcmeCertificates(orderNeeds),
    sealedStores: [sealedAuthorities(database), sealedDnsProviders(database), sealedOrderKeys(database)],
    parts,
    createWorker: () =>
      createAcmeEngine({
        ...orderNeeds,
        nodeId,
        leaseMs: settings.pushLease,
        log: rateLimitedLog(telemetry.log, logLinesPerMinute, clock),
      }).worker,
  };
}

/**
 * The one place where the real parts are plugged in: the client and the ids of ARI (`acme/protocol`), requests for
 * certificates (`packages/pki`), the times of renewals (`acme/renewal-time.ts`), providers and what is visible in DNS
 * (`acme/providers`, `acme/dns`).
 */
function realParts(_settings: Settings): AcmeParts {
  return {
    client: () => absentClient,
    keyAuthorization: () => lacking(),
    newKey,
    certificateRequest: () => lacking(),
    renewalId: () => undefined,
    renewalTime: ({ notBefore, notAfter, window, random }) => {
      if (window !== undefined) return window.start + (window.end - window.start) * random;
      const lifetime = notAfter - notBefore;
      return Math.round(notBefore + lifetime * (lifetime < 10 * 86_400_000 ? 1 / 2 : 2 / 3));
    },
    alpnCertificate: () => lacking(),
    dns: {
      checkAccount: async () => [],
      provider: () => ({ present: absentProvider, cleanUp: absentProvider, test: absentProvider }),
      isVisible: absentProvider,
      findAlias: async () => undefined,
    },
  };
}

const generate = promisify(generateKeyPair);

async function newKey(kind: KeyKind): Promise<KeyObject> {
  if (kind === 'ec256') return (await generate('ec', { namedCurve: 'P-256' })).privateKey;
  if (kind === 'ec384') return (await generate('ec', { namedCurve: 'P-384' })).privateKey;
  return (await generate('rsa', { modulusLength: Number(kind.slice(3)) })).privateKey;
}

const words = 'This build has no ACME client.';

function lacking(): never {
  throw new Error(words);
}

const absent = async () =>
  ({ kind: 'failed', type: 'absent', words, temporary: false, retryAfterMs: null, subproblems: [] }) as const;
const absentProvider = async () => ({ kind: 'failed', words: 'This build has no DNS.', temporary: false }) as const;
const absentClient: ReturnType<AcmeParts['client']> = {
  directory: absent,
  register: absent,
  changeKey: absent,
  placeOrder: absent,
  listOrders: absent,
  readOrder: absent,
  readAuthorization: absent,
  offerChallenge: absent,
  finalize: absent,
  download: absent,
  revoke: absent,
  renewalInfo: absent,
};
