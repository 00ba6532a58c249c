import type { X509 } from '@waxwing/pki/x509.ts';
import { readCertificates } from '@waxwing/pki/x509.ts';
import type { Db } from '../database/database.ts';
import type { CertificateRow, CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import type { Found } from '../database/sql/bounded-search.ts';
import { checkName, lockOrganization } from '../organizations/organization.ts';
import { Problem } from '../runtime/problem.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { open } from '../secrets/envelope.ts';
import {
  type Certificate,
  type CertificateSummary,
  type CertificateVersion,
  domainsListed,
  parseDomains,
  privateKeyContext,
  toCertificate,
  toVersion,
} from './certificate.ts';
import { noRollout } from './certificate-deployments.ts';
import { getCertificateRow, getVersionRow, requireCertificate } from './certificate-lookup.ts';
import { replaceNames } from './certificate-name-store.ts';
import {
  type CertificateFilter,
  deleteCertificate,
  findVersion,
  listCertificates,
  listVersions,
  searchCertificates,
  setCertificateName,
  setCertificateRevoked,
  setCurrentVersion,
  setVersionRevoked,
  type VersionFilter,
} from './certificate-store.ts';
import { type ComparedImport, compareImport, compareWithCurrent, type ImportComparison } from './compare-import.ts';
import type { Comparison } from './compare-versions.ts';
import { type CompletedChain, completeStoredChain } from './complete-stored-chain.ts';
import { type ExportedFile, type ExportFormat, exportCertificate, exportChainFile } from './export-formats.ts';
import {
  type CertificateNeeds,
  type ImportedCertificate,
  type ImportRequest,
  importCertificate,
} from './import-certificate.ts';
import { requireIssued, requireIssuedVersion } from './issued-version.ts';
import { type Issuance, type Issuing, notIssuedHere } from './issuing.ts';
import type { Turn } from './read-material.ts';

/** With its newest versions, and how it is issued. */
export type CertificateDetails = Certificate &
  Issuance & { readonly current_version: string | null; readonly versions: CertificateVersion[] };

interface ManagedCertificateNeeds extends CertificateNeeds {
  readonly issuing: Issuing;
}

export interface Certificates {
  import(actor: string, request: ImportRequest): Promise<ImportedCertificate>;
  /** The changes that an import would make. Stores nothing. */
  compareImport(request: ComparedImport): Promise<ImportComparison>;
  /** The changes that `activate` would make; undefined: of the version before. */
  compareVersion(id: string, version?: string): Promise<Comparison>;
  /** Makes a version the current one that is not revoked. Servers get it from the next request on. */
  activate(actor: string, id: string, version: string): Promise<CertificateDetails>;
  /** Fetches what is missing from the chain of the current version, and makes the next version of it. */
  completeChain(actor: string, id: string, turn?: Turn): Promise<CompletedChain>;
  /** In the order of creation. */
  list(filter: CertificateFilter): Promise<Certificate[]>;
  /** Lists certificates with `search` in their name or a domain, as far as the search went: see `searchBounded`. */
  search(filter: CertificateFilter, search: string): Promise<Found<Certificate>>;
  /** With its newest versions, and the current one behind them where it is older. */
  show(id: string): Promise<CertificateDetails>;
  /** Newest first. */
  listVersions(id: string, filter: VersionFilter): Promise<CertificateVersion[]>;
  rename(actor: string, id: string, name: string): Promise<CertificateDetails>;
  /** Deletes a certificate with its versions and keys. @throws Problem `conflict` while it has deployments */
  delete(actor: string, id: string): Promise<void>;
  /**
   * Revokes a certificate, or one version of it. Retrieval refuses it from the next request on. This cannot be undone.
   */
  revoke(
    actor: string,
    id: string,
    version?: string,
  ): Promise<{ id: string; version: string | null; state: 'revoked'; authority_told: boolean | null }>;
  /** Certificate and chain, parsed, leaf first. */
  showChain(request: Pick<ChainExportRequest, 'id' | 'version'>): Promise<{ version: string; links: X509[] }>;
  /** Certificate and chain without the key. */
  exportChain(request: ChainExportRequest): Promise<Exported>;
  /** Certificate, chain and private key as files. Recorded before it returns. */
  export(actor: string, request: ExportRequest): Promise<Exported>;
}

export interface Exported {
  readonly version: string;
  /** Whether the certificate or this version is revoked. */
  readonly revoked: boolean;
  readonly files: ExportedFile[];
}

/** How many of the newest versions `show` returns. */
const newestVersions = 50;

interface ChainExportRequest {
  readonly id: string;
  readonly version?: string | undefined;
  readonly format: 'pem' | 'der';
}

interface ExportRequest {
  readonly id: string;
  readonly version?: string | undefined;
  readonly format: ExportFormat;
  readonly password?: string | undefined;
  readonly turn?: Turn | undefined;
}

export function createCertificates(needs: ManagedCertificateNeeds): Certificates {
  const { database, feed, audit, clock, ring, turns, deployments, issuing } = needs;

  /**
   * @param write is given the certificate, locked until the transaction ends; answers what the audit entry says
   * @param organizationId locked as well: imports look at the names of its certificates under that lock
   */
  async function change(
    actor: string,
    verb: 'activate' | 'update' | 'delete' | 'revoke',
    id: string,
    write: (trx: Db, row: CertificateRow, at: number) => Promise<object>,
    organizationId?: string,
  ): Promise<void> {
    const at = clock.now();
    const action = `certificate.${verb}` as const;
    await feed.write(async (trx, note) => {
      if (organizationId !== undefined) await lockOrganization(trx, database, organizationId);
      const row = await requireCertificate(trx, database, id);
      const detail = await write(trx, row, at);
      note('certificate', id, row.organization_id);
      const entry = { organizationId: row.organization_id, actor, action, subject: id, at };
      await audit.record(trx, [{ ...entry, detail: JSON.stringify(detail) }]);
    });
  }

  async function show(id: string): Promise<CertificateDetails> {
    const row = await getCertificateRow(database.db, id);
    const current = row.current_version === null ? undefined : await findVersion(database.db, row, row.current_version);
    const newest = await listVersions(database.db, row, { limit: newestVersions });
    const isAmongThem = current === undefined || newest.some(({ id }) => id === current.id);
    const versions = isAmongThem ? newest : [...newest, current];
    const facts = current && { ...current, version_state: current.state };
    const rollout = (await deployments.rollouts(database.db, [row])).get(id) ?? noRollout;
    const issuance = await issuing.read(row);
    const certificate = toCertificate(row, facts, rollout, issuance);
    // Until it is issued, it has the names that were asked for.
    const names = row.current_version === null ? issuance.request?.domains : undefined;
    return {
      ...certificate,
      ...(names !== undefined && { domains: [...names], domain_count: names.length }),
      versions: versions.map((version) => toVersion(version, row)),
      current_version: row.current_version,
      ...issuance,
    };
  }

  async function toListed(rows: readonly CertificateSummary[]): Promise<Certificate[]> {
    const rollouts = await deployments.rollouts(database.db, rows);
    const issued = await issuing.readAll(rows);
    return rows.map((row) =>
      toCertificate(row, row, rollouts.get(row.id) ?? noRollout, issued.get(row.id) ?? notIssuedHere, domainsListed),
    );
  }

  return {
    import: (actor, request) => importCertificate(needs, actor, request),

    compareImport: (request) => compareImport(needs, request),

    compareVersion: (id, version) => compareWithCurrent(needs, id, version),

    async activate(actor, id, versionId) {
      const { organization_id } = await getCertificateRow(database.db, id);
      await change(
        actor,
        'activate',
        id,
        async (trx, row, at) => {
          const version = await requireActivatable(trx, row, versionId);
          const replaced = await getVersionRow(trx, row, undefined);
          await setCurrentVersion(trx, row, version.id, at);
          await replaceNames(trx, database, row, parseDomains(version.domains));
          await issuing.replan(trx, id, version, at);
          return { ...recorded(version), replaced: recorded(replaced) };
        },
        organization_id,
      );
      return show(id);
    },

    async list(filter) {
      return toListed(await listCertificates(database.db, filter));
    },

    async search(filter, search) {
      const { rows, reached } = await searchCertificates(database.db, filter, search);
      if (reached === undefined) return { rows: await toListed(rows) };
      const listed = await toListed([...rows, reached]);
      const last = listed.pop();
      return { rows: listed, ...(last !== undefined && { reached: last }) };
    },

    show,

    async rename(actor, id, given) {
      const name = checkName('name', given);
      await change(actor, 'update', id, async (trx, row, at) => {
        await setCertificateName(trx, row, name, at);
        return { name };
      });
      return show(id);
    },

    async delete(actor, id) {
      await change(actor, 'delete', id, async (trx, row, at) => {
        const count = await deployments.count(trx, row);
        if (count > 0) throw deployed(row, count);
        await issuing.forget(trx, id, at);
        await deleteCertificate(trx, row);
        return { name: row.name };
      });
    },

    completeChain: (actor, id, turn) => completeStoredChain(needs, actor, id, turn),

    async listVersions(id, filter) {
      const row = await getCertificateRow(database.db, id);
      return (await listVersions(database.db, row, filter)).map((version) => toVersion(version, row));
    },

    async revoke(actor, id, version) {
      let orders: readonly string[] = [];
      await change(actor, 'revoke', id, async (trx, row, at) => {
        if (version !== undefined) await getVersionRow(trx, row, version);
        const changed =
          version === undefined
            ? await setCertificateRevoked(trx, row, at)
            : await setVersionRevoked(trx, row, version, at);
        if (!changed) throw alreadyRevoked(id, version);
        orders = await issuing.revoke(trx, id, version, at);
        return { version: version ?? null };
      });
      return { id, version: version ?? null, state: 'revoked', authority_told: await issuing.tell(orders) };
    },

    async showChain(request) {
      const row = await getCertificateRow(database.db, request.id);
      const version = await getVersionRow(database.db, row, request.version);
      return { version: version.id, links: readCertificates(version.chain) };
    },

    async exportChain(request) {
      const row = await getCertificateRow(database.db, request.id);
      const version = await getVersionRow(database.db, row, request.version);
      const name = parseDomains(version.domains)[0] ?? row.name;
      const files = [exportChainFile(version.chain, request.format, name)];
      return { version: version.id, revoked: isRevoked(row, version), files };
    },

    async export(actor, request) {
      const { organization_id } = await getCertificateRow(database.db, request.id);
      const write = async () => {
        await request.turn?.begin();
        const row = await getCertificateRow(database.db, request.id);
        const version = await getVersionRow(database.db, row, request.version);
        const clear = open(ring(), privateKeyContext(row.organization_id, row.id, version.id), version.sealed_key);
        const privateKey = new SecretText(clear.toString('latin1'));
        clear.fill(0);
        const files = await exportCertificate({ chain: version.chain, privateKey }, request.format, {
          name: parseDomains(version.domains)[0] ?? row.name,
          ...(request.password === undefined ? {} : { password: request.password }),
        });
        return { row, version, files };
      };
      // Deriving a key from the password takes a third of a second. The other formats cost nothing.
      const isCostly = request.format === 'pkcs12';
      const written = await (isCostly ? turns.run(write, organization_id, request.turn?.signal) : write());
      const { row, version, files } = written;
      const at = clock.now();
      await database.transaction((trx) =>
        audit.record(trx, [
          {
            organizationId: row.organization_id,
            actor,
            action: 'private-key.export',
            subject: row.id,
            at,
            detail: JSON.stringify({ version: version.id, format: request.format }),
          },
        ]),
      );
      return { version: version.id, revoked: isRevoked(row, version), files };
    },
  };
}

/** @throws Problem `conflict` where the version cannot become the current one, or is it already */
async function requireActivatable(trx: Db, row: CertificateRow, versionId: string): Promise<CertificateVersionRow> {
  requireIssued(row);
  const version = await getVersionRow(trx, row, versionId);
  if (version.id === row.current_version) {
    throw new Problem('conflict', {
      field: 'version',
      reason: 'version_current',
      detail: `Version ${version.id} is the current one of ${row.name} already.`,
    });
  }
  requireIssuedVersion(version);
  return version;
}

/** A version as audit entries name it. */
const recorded = ({ id, number }: CertificateVersionRow) => ({ version: id, number });

function isRevoked(...parts: readonly { readonly state: string }[]): boolean {
  return parts.some(({ state }) => state === 'revoked');
}

function deployed({ name }: CertificateRow, count: number): Problem {
  return new Problem('conflict', {
    field: 'certificate',
    reason: 'certificate_deployed',
    parameters: { count: String(count) },
    detail: `${name} has ${count} deployment(s). Delete them first: "deployment list --certificate" shows them.`,
  });
}

function alreadyRevoked(id: string, version: string | undefined): Problem {
  if (version === undefined) {
    return new Problem('conflict', {
      field: 'certificate',
      reason: 'certificate_revoked',
      detail: `Certificate ${id} is revoked already.`,
    });
  }
  return new Problem('conflict', {
    field: 'version',
    reason: 'version_revoked',
    detail: `Version ${version} of certificate ${id} is revoked already.`,
  });
}
