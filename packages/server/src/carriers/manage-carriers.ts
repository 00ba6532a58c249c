import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import type { Ground } from '../audit/ground.ts';
import type { Db } from '../database/database.ts';
import type { CarrierRow } from '../database/schema/carrier-tables.ts';
import { requireSealingKey } from '../database/sealing-key.ts';
import { checkName, findOrganization } from '../organizations/organization.ts';
import { newId } from '../runtime/clock.ts';
import { absent, Problem } from '../runtime/problem.ts';
import { SecretText } from '../runtime/secret-text.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { findSettingFaults } from './carrier-rules.ts';
import { findCarrierByName, insertCarrier, listCarrierRows, lockCarrier, updateCarrierRow } from './carrier-store.ts';
import { everyCarrier } from './known-carriers.ts';
import { sealCarrierSecret } from './sealed-carriers.ts';
import { simulatorId } from './simulator/simulator-carrier.ts';
import { type CarrierSettings, standardSettings, toColumns, toSettings } from './stored-carrier.ts';

export type NewCarrier = Shown<contract.NewCarrier>;
export type CarrierUpdate = Shown<contract.CarrierUpdate>;

export interface ManageCarriers {
  /** @returns its id */
  create(by: string, request: NewCarrier): Promise<string>;
  update(by: string, id: string, update: CarrierUpdate, check?: (current: CarrierSettings) => void): Promise<void>;
  setEnabled(by: string, id: string, enabled: boolean): Promise<void>;
  /** Its waiting messages go to other carriers. @throws Problem `conflict` while numbers are routed from it */
  delete(by: string, id: string): Promise<void>;
}

interface Needs extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly ring: () => KeyRing;
  /** How many inbound numbers are routed from a carrier. */
  readonly countRoutes: (trx: Db, carrierId: string) => Promise<number>;
}

const mostCarriers = 100;

export function createManageCarriers({ database, feed, audit, clock, ring, countRoutes }: Needs): ManageCarriers {
  const lock = async (trx: Db, id: string) => (await lockCarrier(trx, database, id)) ?? absent('carrier', id);

  const record = (trx: Db, actor: string, action: AuditAction, subject: string, at: number, detail: object) =>
    audit.record(trx, [{ organizationId: '', actor, action, subject, at, detail: JSON.stringify(detail) }]);

  /** In a transaction: another one may take the name at the same moment, and then the database refuses it. */
  async function requireFreeName(trx: Db, name: string, id: string): Promise<void> {
    const other = await findCarrierByName(trx, name);
    if ((other !== undefined && other.id !== id) || name === simulatorId) throw nameTaken(name);
  }

  async function check(trx: Db, settings: CarrierSettings, given: Shown<Secrets>): Promise<void> {
    const { password, tls_key: tlsKey } = given;
    const [first, ...others] = findSettingFaults(settings, { names: new Set(Object.keys(given)), password, tlsKey });
    if (first !== undefined) {
      const detail = [first, ...others].map(({ message }) => message).join(' ');
      throw new Problem('invalid_parameter', { field: first.field, detail });
    }
    if (Object.hasOwn(given, 'for_organization')) {
      for (const id of settings.for_organization) {
        if ((await findOrganization(trx, id)) === undefined) throw noOrganization(id);
      }
    }
  }

  /** The columns of given secrets. */
  async function sealed(trx: Db, id: string, { password, tls_key }: Shown<Secrets>): Promise<Partial<CarrierRow>> {
    if (password === undefined && tls_key === undefined) return {};
    const keys = ring();
    await requireSealingKey(trx, keys.current.id);
    const seal = (column: 'sealed_password' | 'sealed_tls_key', text: string) => ({
      [column]: sealCarrierSecret(keys, column, id, new SecretText(text)),
    });
    return {
      ...(password !== undefined && seal('sealed_password', password)),
      ...(tls_key !== undefined && seal('sealed_tls_key', tls_key)),
      key_id: keys.current.id,
    };
  }

  return {
    async create(by, request) {
      const { password: _password, tls_key: _tlsKey, ...given } = request;
      const name = checkName('name', request.name);
      const at = clock.now();
      const id = newId(at);
      const standard = standardSettings(request.protocol);
      const settings = { enabled: true, ...standard, ...given, id, name } as CarrierSettings;
      await feed.write(async (trx, note) => {
        await requireFreeName(trx, name, id);
        if ((await listCarrierRows(trx)).length >= mostCarriers) throw tooMany();
        await check(trx, settings, request);
        const none = { sealed_password: null, sealed_tls_key: null, key_id: null, deleted_at: null };
        const secrets = await sealed(trx, id, request);
        await insertCarrier(trx, { id, ...toColumns(settings), ...none, ...secrets, created_at: at, updated_at: at });
        note('carrier', id);
        note('carrier', everyCarrier);
        await record(trx, by, 'carrier.create', id, at, { name, kind: settings.protocol, host: settings.address });
      });
      return id;
    },

    async update(by, id, update, requireSame) {
      const { password: _password, tls_key: _tlsKey, ...given } = update;
      const at = clock.now();
      await feed.write(async (trx, note) => {
        const current = await lock(trx, id);
        const former = toSettings(current);
        requireSame?.(former);
        const name = update.name === undefined ? former.name : checkName('name', update.name);
        if (name !== former.name) await requireFreeName(trx, name, id);
        const settings = { ...former, ...given, name } as CarrierSettings;
        await check(trx, settings, update);
        const withoutKey = settings.tls_certificate === null ? { sealed_tls_key: null } : {};
        const columns = { ...toColumns(settings), ...withoutKey, ...(await sealed(trx, id, update)), updated_at: at };
        await updateCarrierRow(trx, id, columns);
        note('carrier', id);
        await record(trx, by, 'carrier.update', id, at, { changes: Object.keys(update) });
      });
    },

    async setEnabled(by, id, enabled) {
      const at = clock.now();
      await feed.write(async (trx, note) => {
        const { name } = await lock(trx, id);
        await updateCarrierRow(trx, id, { enabled: enabled ? 1 : 0, updated_at: at });
        note('carrier', id);
        await record(trx, by, enabled ? 'carrier.enable' : 'carrier.disable', id, at, { name });
      });
    },

    async delete(by, id) {
      const at = clock.now();
      await feed.write(async (trx, note) => {
        const { name } = await lock(trx, id);
        const routes = await countRoutes(trx, id);
        if (routes > 0) throw hasRoutes(name, routes);
        const without = { sealed_password: null, sealed_tls_key: null, key_id: null };
        await updateCarrierRow(trx, id, { ...without, enabled: 0, updated_at: at, deleted_at: at });
        note('carrier', id);
        await record(trx, by, 'carrier.delete', id, at, { name });
      });
    },
  };
}

interface Secrets {
  readonly password?: string | undefined;
  readonly tls_key?: string | undefined;
}

function noOrganization(id: string): Problem {
  const detail = `There is no organization ${id}. "organization list" shows those there are.`;
  return new Problem('invalid_parameter', { field: 'for_organization', detail });
}

function nameTaken(name: string): Problem {
  return new Problem('conflict', {
    field: 'name',
    reason: 'carrier_name_taken',
    parameters: { name },
    detail: `A carrier named "${name}" exists already. Choose another name.`,
  });
}

function hasRoutes(name: string, count: number): Problem {
  return new Problem('conflict', {
    field: 'carrier',
    reason: 'carrier_has_routes',
    parameters: { count: String(count) },
    detail: `${count} inbound number(s) are routed from ${name}, and would get no replies any more. Remove these routes first.`,
  });
}

function tooMany(): Problem {
  return new Problem('conflict', {
    field: 'carrier',
    reason: 'too_many_carriers',
    parameters: { most: mostCarriers },
    detail: `There are ${mostCarriers} carriers already. Delete one that is not needed any more.`,
  });
}
