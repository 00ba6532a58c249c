import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { FetchIssuer } from '@waxwing/pki/complete-chain.ts';
import { createKnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import { maxImportBytes } from '@waxwing/pki/read-import.ts';
import {
  makeTrialCa,
  type TrialCa,
  type TrialCertificate,
  type TrialLeafOptions,
} from '@waxwing/pki/trial-ca.testing.ts';
import { type AuditTrail, createAuditTrail } from '../audit/audit-trail.ts';
import { type ChangeFeed, createChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import type { Open } from '../database/testing.ts';
import { createOrganizations } from '../organizations/organization.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { Problem, type ProblemCode } from '../runtime/problem.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import { keyCheck } from '../secrets/key-material.ts';
import { type KeyRing, newMasterKey, withCurrentKey } from '../secrets/key-ring.ts';
import type { CertificateDeployments } from './certificate-deployments.ts';
import type { ImportedCertificate } from './import-certificate.ts';
import { createCompletionQueue, createImportQueue } from './import-queue.ts';
import { notIssuedHere } from './issuing.ts';
import { type Certificates, createCertificates } from './manage-certificates.ts';

/** Certificates of two organizations on a fresh database, with a trial CA. */
export interface CertificateWorld {
  readonly database: Database;
  readonly audit: AuditTrail;
  readonly feed: ChangeFeed;
  readonly certificates: Certificates;
  readonly turns: WorkQueue<string>;
  /** Ids of the certificates whose renewal was planned anew. */
  readonly replanned: readonly string[];
  readonly organizationId: string;
  readonly otherOrganizationId: string;
  readonly ca: TrialCa;
  /** The authorities that are known, read when one is asked for, and the servers that have certificates of issuers. */
  readonly trust: { roots: readonly string[]; fetch: FetchIssuer };
  ring(): KeyRing;
  /** Makes a new master key current. `retire` makes the database forget the former ones. */
  changeMasterKey(retire?: boolean): Promise<void>;
  issue(options: Partial<TrialLeafOptions>): TrialCertificate;
  /** Onto a certificate, or as one of its own, even if another certificate has these names. */
  import(leaf: TrialCertificate, onto?: string): Promise<ImportedCertificate>;
  /** As if the certificate had one more enabled deployment, or none any more. */
  deploy(certificateId: string, name?: string): void;
  undeploy(certificateId: string): void;
}

export async function openCertificateWorld(t: TestContext, open: Open): Promise<CertificateWorld> {
  const database = await open(t);
  const clock = risingClock();
  const audit = createAuditTrail(database, randomBytes(32));
  const feed = createChangeFeed(database, systemClock, async () => {});
  const first = newMasterKey(1, randomBytes);
  let ring: KeyRing = { current: first, keys: [first] };
  const remember = ({ current }: KeyRing) =>
    database.db
      .insertInto('master_key')
      .values({ id: current.id, key_check: keyCheck(current.key), created_at: current.createdAt })
      .execute();
  await remember(ring);
  const organizations = createOrganizations({ database, feed, audit, clock });
  const { id: organizationId } = await organizations.create('test', 'Acme');
  const { id: otherOrganizationId } = await organizations.create('test', 'Other');
  const turns = createImportQueue(32);
  const trust: CertificateWorld['trust'] = { roots: [], fetch: async () => ({ kind: 'unreachable' }) };
  const deployed = new Map<string, string[]>();
  const deployments: CertificateDeployments = {
    count: async (_, { id }) => deployed.get(id)?.length ?? 0,
    rollouts: async (_, rows) =>
      new Map(rows.map(({ id }) => [id, { current: 0, total: deployed.get(id)?.length ?? 0 }])),
    names: async (_, { id }, limit) => (deployed.get(id) ?? []).slice(0, limit),
  };
  const replanned: string[] = [];
  const certificates = createCertificates({
    database,
    feed,
    audit,
    clock,
    ring: () => ring,
    maxImportBytes,
    turns,
    deployments,
    completions: createCompletionQueue(),
    issuing: {
      read: async () => ({ ...notIssuedHere, request: null, progress: [], delegation: [] }),
      readAll: async () => new Map(),
      replan: async (_, id) => void replanned.push(id),
      forget: async () => {},
      revoke: async () => [],
      tell: async () => null,
    },
    known: { named: (subject) => createKnownAuthorities(() => trust.roots).named(subject) },
    fetchIssuer: (url, limits) => trust.fetch(url, limits),
  });
  const ca = makeTrialCa({ now: clock.now() });

  return {
    database,
    audit,
    feed,
    certificates,
    turns,
    replanned,
    trust,
    organizationId,
    otherOrganizationId,
    ca,
    ring: () => ring,
    async changeMasterKey(retire = false) {
      const next = withCurrentKey(ring, newMasterKey(ring.current.createdAt + 1, randomBytes));
      await remember(next);
      if (retire) await database.db.deleteFrom('master_key').where('id', '!=', next.current.id).execute();
      else ring = next;
    },
    issue: (options) => ca.issue({ domains: ['example.com'], ...options }),
    import: (leaf, onto) => {
      const root = { name: 'root.pem', bytes: Buffer.from(ca.certificatePem) };
      const files = [...filesOf(leaf), root];
      return certificates.import('test', { organizationId, files, onto, separate: onto === undefined });
    },
    deploy: (certificateId, name = 'web') =>
      void deployed.set(certificateId, [...(deployed.get(certificateId) ?? []), name]),
    undeploy: (certificateId) => void deployed.delete(certificateId),
  };
}

/** Each reading is a millisecond later, so that later rows sort later. */
function risingClock(): Clock {
  let time = Date.UTC(2026, 0, 1);
  return {
    now() {
      time += 1;
      return time;
    },
    monotonic: () => time,
  };
}

export function filesOf(leaf: TrialCertificate) {
  return [
    { name: 'chain.pem', bytes: Buffer.from(leaf.chainPem) },
    { name: 'key.pem', bytes: Buffer.from(leaf.keyPem) },
  ];
}

/** For `assert.rejects`: a Problem with this code and field. */
/** @param reason one of the code's */
export function problem(code: ProblemCode, field?: string, reason?: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof Problem, String(error));
    assert.deepEqual([error.code, error.field], [code, field], error.message);
    if (reason !== undefined) assert.equal(error.reason, reason);
    return true;
  };
}
