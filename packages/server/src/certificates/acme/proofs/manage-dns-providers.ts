import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/dns-provider-operations.ts';
import type { Ground } from '../../../audit/ground.ts';
import type { Db } from '../../../database/database.ts';
import type { DnsProviderRow } from '../../../database/schema/acme-tables.ts';
import { requireSealingKey } from '../../../database/sealing-key.ts';
import type { Part } from '../../../database/sql/bounded-search.ts';
import { checkName, lockOrganization } from '../../../organizations/organization.ts';
import { newId, toRfc3339 } from '../../../runtime/clock.ts';
import { absent, Problem } from '../../../runtime/problem.ts';
import { SecretText } from '../../../runtime/secret-text.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import type { AcmeParts } from '../acme-parts.ts';
import { checkRequestedNames } from '../requests/request-names.ts';
import { findProviderUses, type Uses } from '../requests/request-store.ts';
import { openProviderSecret, sealProviderSecret } from '../sealed-acme.ts';
import {
  countProviderRecords,
  deleteDnsProviderRow,
  findDnsProvider,
  insertDnsProvider,
  listDnsProviders,
  lockDnsProvider,
  updateDnsProviderRow,
} from './dns-provider-store.ts';

export type DnsProviderAccount = Shown<contract.DnsProvider>;

interface NewDnsProvider {
  readonly organizationId: string;
  readonly name: string;
  readonly kind: DnsProviderAccount['kind'];
  readonly options?: Readonly<Record<string, string>> | undefined;
  readonly secret?: string | undefined;
}

type DnsProviderUpdate = Partial<Pick<NewDnsProvider, 'name' | 'options' | 'secret'>>;

export interface DnsProviders {
  create(by: string, request: NewDnsProvider): Promise<DnsProviderAccount>;
  /** Oldest first. @param organizationId undefined: of all */
  list(organizationId: string | undefined, part: Part): Promise<DnsProviderAccount[]>;
  show(id: string): Promise<DnsProviderAccount>;
  update(
    by: string,
    id: string,
    update: DnsProviderUpdate,
    check?: (current: DnsProviderAccount) => void,
  ): Promise<DnsProviderAccount>;
  delete(by: string, id: string): Promise<void>;
  /** Sets a record of the domain and removes it. */
  test(
    by: string,
    id: string,
    domain: string,
    signal: AbortSignal,
  ): Promise<{ ok: boolean; ms: number; error: string | null }>;
}

interface Needs extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly ring: () => KeyRing;
  readonly parts: Pick<AcmeParts, 'dns'>;
}

const mostProviders = 200;
const testMs = 60_000;

export function createDnsProviders({ database, feed, audit, clock, ring, parts }: Needs): DnsProviders {
  const { db } = database;
  const get = async (id: string) => (await findDnsProvider(db, id)) ?? absent('dns provider', id);

  const record = (
    trx: Db,
    actor: string,
    action: AuditAction,
    { organization_id: organizationId, id: subject }: Pick<DnsProviderRow, 'organization_id' | 'id'>,
    at: number,
    detail: object,
  ) => audit.record(trx, [{ organizationId, actor, action, subject, at, detail: JSON.stringify(detail) }]);

  async function check(kind: string, options: Readonly<Record<string, string>>, secret: SecretText | undefined) {
    const faults = await parts.dns.checkAccount({ kind, options, secret });
    const [first] = faults;
    if (first === undefined) return;
    const detail = faults.map(({ message }) => message).join(' ');
    throw new Problem('invalid_parameter', { field: first.field, detail });
  }

  async function sealed(trx: Db, row: Pick<DnsProviderRow, 'organization_id' | 'id'>, secret: SecretText | undefined) {
    if (secret === undefined) return {};
    const keys = ring();
    await requireSealingKey(trx, keys.current.id);
    return { sealed: sealProviderSecret(keys, row, secret), key_id: keys.current.id };
  }

  return {
    async create(by, { organizationId, kind, options = {}, ...request }) {
      const name = checkName('name', request.name);
      const secret = request.secret === undefined ? undefined : new SecretText(request.secret);
      await check(kind, options, secret);
      const at = clock.now();
      const key = { organization_id: organizationId, id: newId(at) };
      return feed.write(async (trx, note) => {
        await lockOrganization(trx, database, organizationId);
        const some = await listDnsProviders(trx, organizationId, { take: mostProviders, after: undefined });
        if (some.length >= mostProviders) throw tooMany();
        const none = { sealed: null, key_id: null };
        const row: DnsProviderRow = {
          ...{ ...key, kind, name, options: JSON.stringify(options) },
          ...{ ...none, ...(await sealed(trx, key, secret)) },
          ...{ created_at: at, updated_at: at },
        };
        await insertDnsProvider(trx, row);
        note('dns-provider', row.id, organizationId);
        await record(trx, by, 'dns-provider.create', row, at, { name, kind });
        return toDnsProvider(row);
      });
    },

    list: async (organizationId, part) => (await listDnsProviders(db, organizationId, part)).map(toDnsProvider),

    show: async (id) => toDnsProvider(await get(id)),

    async update(by, id, update, requireSame) {
      const former = await get(id);
      const options = update.options ?? optionsOf(former);
      const secret = update.secret === undefined ? undefined : new SecretText(update.secret);
      // Another name for it needs no DNS that works at the moment.
      if (update.options !== undefined || update.secret !== undefined) {
        await check(former.kind, options, secret ?? openProviderSecret(ring(), former));
      }
      const at = clock.now();
      return feed.write(async (trx, note) => {
        const current = (await lockDnsProvider(trx, database, id)) ?? absent('dns provider', id);
        requireSame?.(toDnsProvider(current));
        const columns = {
          ...(update.name !== undefined && { name: checkName('name', update.name) }),
          ...(update.options !== undefined && { options: JSON.stringify(options) }),
          ...(await sealed(trx, current, secret)),
          updated_at: at,
        };
        await updateDnsProviderRow(trx, id, columns);
        note('dns-provider', id, current.organization_id);
        await record(trx, by, 'dns-provider.update', current, at, { changes: Object.keys(update) });
        return toDnsProvider({ ...current, ...columns });
      });
    },

    async delete(by, id) {
      await get(id);
      const at = clock.now();
      await feed.write(async (trx, note) => {
        const row = (await lockDnsProvider(trx, database, id)) ?? absent('dns provider', id);
        const uses = await findProviderUses(trx, row.organization_id, id);
        if (uses.count > 0) throw inUse(row.name, uses);
        // Orders of deleted certificates still remove theirs, and need its secret for that.
        const records = await countProviderRecords(trx, database, id);
        if (records > 0) throw stillRemoving(row.name, records);
        await deleteDnsProviderRow(trx, id);
        note('dns-provider', id, row.organization_id);
        await record(trx, by, 'dns-provider.delete', row, at, { name: row.name });
      });
    },

    async test(by, id, domain, signal) {
      const row = await get(id);
      const [name = ''] = checkRequestedNames([domain], { field: 'domain', addresses: false, byDns: true });
      const { organization_id: organizationId } = row;
      await audit.append([
        ...[{ organizationId, actor: by, action: 'dns-provider.test' as const, subject: id }].map((entry) => ({
          ...{ ...entry, at: clock.now(), detail: JSON.stringify({ domain: name }) },
        })),
      ]);
      const began = clock.monotonic();
      const provider = await parts.dns.provider(accountOf(ring(), row));
      const result = await provider.test(name, AbortSignal.any([signal, AbortSignal.timeout(testMs)]));
      const ms = Math.round(clock.monotonic() - began);
      return { ok: result.kind === 'done', ms, error: result.kind === 'done' ? null : result.words };
    },
  };
}

/** With its secret in clear. @throws SealError when it does not open */
export function accountOf(ring: KeyRing, row: DnsProviderRow) {
  return { kind: row.kind, options: optionsOf(row), secret: openProviderSecret(ring, row) };
}

function optionsOf({ options }: Pick<DnsProviderRow, 'options'>): Readonly<Record<string, string>> {
  return JSON.parse(options) as Record<string, string>;
}

function toDnsProvider(row: DnsProviderRow): DnsProviderAccount {
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    kind: row.kind as DnsProviderAccount['kind'],
    options: { ...optionsOf(row) },
    has_secret: row.sealed !== null,
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
  };
}

function inUse(name: string, { count, names }: Uses): Problem {
  return new Problem('conflict', {
    field: 'dns_provider',
    reason: 'dns_provider_in_use',
    parameters: { count: String(count), names },
    detail: `${count} certificate(s) are renewed with ${name}: ${names}. Delete them first.`,
  });
}

function stillRemoving(name: string, records: number): Problem {
  return new Problem('conflict', {
    field: 'dns_provider',
    reason: 'dns_provider_removing',
    parameters: { count: String(records) },
    detail: `${records} record(s) that ${name} set for deleted certificates are being removed. Delete it in a few minutes.`,
  });
}

function tooMany(): Problem {
  return new Problem('conflict', {
    field: 'dns_provider',
    reason: 'too_many_dns_providers',
    parameters: { most: mostProviders },
    detail: `There are ${mostProviders} DNS providers already. Delete one that is not needed any more.`,
  });
}
