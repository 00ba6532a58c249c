import { X509Certificate } from 'node:crypto';
import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import { type AuthorityPresetName, authorityPresets } from '@waxwing/contract/management-api/authority-presets.ts';
import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/authority-operations.ts';
import type { KeyKind } from '@waxwing/pki/generate-key.ts';
import type { Ground } from '../../../audit/ground.ts';
import type { Db } from '../../../database/database.ts';
import type { AuthorityRow } from '../../../database/schema/acme-tables.ts';
import { requireSealingKey } from '../../../database/sealing-key.ts';
import type { Part } from '../../../database/sql/bounded-search.ts';
import { checkName } from '../../../organizations/organization.ts';
import { newId, toRfc3339 } from '../../../runtime/clock.ts';
import { absent, Problem } from '../../../runtime/problem.ts';
import { SecretText } from '../../../runtime/secret-text.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import type { AcmeParts } from '../acme-parts.ts';
import { findAuthorityUses, type Uses } from '../requests/request-store.ts';
import { openExternalAccount, sealAccountKey, sealExternalAccount } from '../sealed-acme.ts';
import {
  deleteAuthorityRow,
  findAuthority,
  findAuthorityByName,
  insertAuthority,
  listAuthorities,
  lockAuthority,
  updateAuthority,
} from './authority-store.ts';
import { registerAccount } from './register-account.ts';
import { rollAccountKey } from './roll-account-key.ts';

export type Authority = Shown<contract.Authority>;

interface ExternalAccount {
  readonly kid: string;
  readonly hmac: string;
}

export interface NewAuthority {
  readonly name: string;
  readonly preset?: AuthorityPresetName | undefined;
  readonly directory?: string | undefined;
  readonly rootPem?: string | undefined;
  readonly email: string;
  readonly accountKey?: Authority['account_key'] | undefined;
  readonly externalAccount?: ExternalAccount | undefined;
  readonly profile?: string | undefined;
}

export interface AuthorityUpdate {
  readonly name?: string | undefined;
  readonly directory?: string | undefined;
  readonly rootPem?: string | null | undefined;
  readonly email?: string | undefined;
  readonly externalAccount?: ExternalAccount | null | undefined;
  readonly profile?: string | null | undefined;
}

export interface TestedAuthority {
  readonly ok: boolean;
  readonly account_url: string | null;
  readonly existed: boolean | null;
  readonly renewal_info: boolean | null;
  readonly profiles: string[];
  readonly terms_of_service: string | null;
  readonly ms: number;
  readonly error: string | null;
}

export interface RolledKey {
  readonly ok: boolean;
  readonly account_url: string | null;
  readonly error: string | null;
}

export interface Authorities {
  create(by: string, request: NewAuthority): Promise<Authority>;
  /** Oldest first. */
  list(part: Part): Promise<Authority[]>;
  show(id: string): Promise<Authority>;
  update(by: string, id: string, update: AuthorityUpdate, check?: (current: Authority) => void): Promise<Authority>;
  delete(by: string, id: string): Promise<void>;
  /** Gives the account another key. */
  rollKey(by: string, id: string, signal: AbortSignal): Promise<RolledKey>;
  /** Reads its directory, finds or makes the account, and tells it the address. */
  test(by: string, id: string, signal: AbortSignal): Promise<TestedAuthority>;
}

export interface AuthorityNeeds extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly ring: () => KeyRing;
  readonly parts: Pick<AcmeParts, 'client' | 'newKey'>;
}

const testMs = 60_000;

export function createAuthorities(needs: AuthorityNeeds): Authorities {
  const { database, feed, audit, clock, ring, parts } = needs;
  const { db } = database;
  const get = async (id: string) => (await findAuthority(db, id)) ?? absent('authority', id);

  const record = (trx: Db, actor: string, action: AuditAction, subject: string, at: number, detail: object) =>
    audit.record(trx, [{ organizationId: '', actor, action, subject, at, detail: JSON.stringify(detail) }]);

  /** In a transaction: another one may take the name at the same moment, and then the database refuses it. */
  async function requireFreeName(trx: Db, name: string, id: string): Promise<void> {
    const other = await findAuthorityByName(trx, name);
    if (other !== undefined && other.id !== id) throw nameTaken(name);
  }

  return {
    async create(by, request) {
      const name = checkName('name', request.name);
      const directory = directoryOf(request);
      const accountKey = request.accountKey ?? 'ec256';
      const external = checkExternalAccount(request.externalAccount);
      const rootPem = request.rootPem === undefined ? null : checkRoots(request.rootPem);
      const email = checkEmail(request.email);
      const key = await parts.newKey(accountKey as KeyKind);
      const at = clock.now();
      const id = newId(at);
      return feed.write(async (trx, note) => {
        await requireFreeName(trx, name, id);
        const keys = ring();
        await requireSealingKey(trx, keys.current.id);
        const row: AuthorityRow = {
          ...{ id, name, preset: request.preset ?? null, directory, root_pem: rootPem, email },
          account_key: accountKey,
          sealed_key: sealAccountKey(keys, id, key),
          next_sealed_key: null,
          key_id: keys.current.id,
          ...{ account_url: null, orders_url: null },
          eab_kid: external?.kid ?? null,
          sealed_eab: external === undefined ? null : sealExternalAccount(keys, id, external.hmac),
          profile: request.profile ?? null,
          ...{ failures: 0, rests_until: null },
          ...{ created_at: at, updated_at: at },
        };
        await insertAuthority(trx, row);
        note('authority', id);
        await record(trx, by, 'authority.create', id, at, { name, directory, email });
        return toAuthority(row);
      });
    },

    list: async (part) => (await listAuthorities(db, part)).map(toAuthority),

    show: async (id) => toAuthority(await get(id)),

    async update(by, id, update, check) {
      const former = await get(id);
      const { name, directory, rootPem, email, externalAccount, profile } = update;
      const columns: Partial<AuthorityRow> = {
        ...(name !== undefined && { name: checkName('name', name) }),
        ...(directory !== undefined && { directory: checkDirectory(directory), preset: null }),
        ...(rootPem !== undefined && { root_pem: rootPem === null ? null : checkRoots(rootPem) }),
        ...(email !== undefined && { email: checkEmail(email) }),
        ...(profile !== undefined && { profile }),
      };
      const external = externalAccount === null ? null : checkExternalAccount(externalAccount);
      const isElsewhere = columns.directory !== undefined && columns.directory !== former.directory;
      const hasNewAccount = isElsewhere || external !== undefined;
      // An account stays bound to what it was made with: another one has another key.
      const key = hasNewAccount ? await parts.newKey(former.account_key as KeyKind) : undefined;
      const at = clock.now();
      return feed.write(async (trx, note) => {
        const current = (await lockAuthority(trx, database, id)) ?? absent('authority', id);
        check?.(toAuthority(current));
        if (columns.directory !== undefined && columns.directory !== current.directory) {
          const uses = await findAuthorityUses(trx, id);
          if (uses.count > 0) throw inUse(current.name, uses, 'Create another authority for the other directory.');
        }
        if (columns.name !== undefined) await requireFreeName(trx, columns.name, id);
        const changed: Partial<AuthorityRow> = { ...columns, updated_at: at };
        if (key !== undefined) {
          const keys = ring();
          await requireSealingKey(trx, keys.current.id);
          const kept = external === undefined ? current : undefined;
          const hmac = kept === undefined ? external?.hmac : openExternalAccount(keys, kept);
          Object.assign(changed, {
            sealed_key: sealAccountKey(keys, id, key),
            next_sealed_key: null,
            key_id: keys.current.id,
            eab_kid: kept?.eab_kid ?? external?.kid ?? null,
            sealed_eab: hmac === undefined ? null : sealExternalAccount(keys, id, hmac),
            ...{ account_url: null, orders_url: null, failures: 0, rests_until: null },
          });
        }
        await updateAuthority(trx, id, changed);
        const shown = {
          ...columns,
          root_pem: undefined,
          ...(external !== undefined && { eab_kid: external?.kid ?? null }),
        };
        note('authority', id);
        await record(trx, by, 'authority.update', id, at, shown);
        return toAuthority({ ...current, ...changed });
      });
    },

    async delete(by, id) {
      const { name } = await get(id);
      const at = clock.now();
      await feed.write(async (trx, note) => {
        if ((await lockAuthority(trx, database, id)) === undefined) absent('authority', id);
        const uses = await findAuthorityUses(trx, id);
        if (uses.count > 0) throw inUse(name, uses, 'They have to be deleted or revoked first.');
        await deleteAuthorityRow(trx, id);
        note('authority', id);
        await record(trx, by, 'authority.delete', id, at, { name });
      });
    },

    async rollKey(by, id, signal) {
      const row = await get(id);
      const limited = AbortSignal.any([signal, AbortSignal.timeout(testMs)]);
      const write = (trx: Db) => record(trx, by, 'authority.roll-key', id, clock.now(), {});
      const rolled = await rollAccountKey(needs, row, write, limited);
      const isDone = rolled.kind === 'done';
      return { ok: isDone, account_url: row.account_url, error: isDone ? null : rolled.words };
    },

    async test(by, id, signal) {
      const row = await get(id);
      const at = clock.now();
      await audit.append([{ organizationId: '', actor: by, action: 'authority.test', subject: id, at, detail: '{}' }]);
      const began = clock.monotonic();
      const limited = AbortSignal.any([signal, AbortSignal.timeout(testMs)]);
      const client = await parts.client({ directory: row.directory, rootPem: row.root_pem ?? undefined });
      const directory = await client.directory(limited);
      const registered = directory.kind === 'done' ? await registerAccount(needs, row, limited, by) : directory;
      const isThere = registered.kind === 'done';
      // An account that was found keeps the address that it was made with.
      const told =
        isThere && registered.existed
          ? await client.setContact({ url: registered.url, key: registered.key }, row.email, limited)
          : registered;
      const facts = directory.kind === 'done' ? directory : undefined;
      return {
        ok: told.kind === 'done',
        account_url: isThere ? registered.url : null,
        existed: isThere ? registered.existed : null,
        renewal_info: facts?.hasRenewalInfo ?? null,
        profiles: [...(facts?.profiles ?? [])],
        terms_of_service: facts?.termsOfService ?? null,
        ms: Math.round(clock.monotonic() - began),
        error: told.kind === 'done' ? null : told.words,
      };
    },
  };
}

export function toAuthority(row: AuthorityRow): Authority {
  return {
    id: row.id,
    name: row.name,
    preset: row.preset as Authority['preset'],
    directory: row.directory,
    root_pem: row.root_pem,
    email: row.email,
    account_key: row.account_key as Authority['account_key'],
    account_url: row.account_url,
    eab_kid: row.eab_kid,
    profile: row.profile,
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
  };
}

function directoryOf({ preset, directory }: NewAuthority): string {
  if ((preset === undefined) === (directory === undefined)) {
    throw refusal('directory', 'Give a preset or the URL of a directory, one of both.');
  }
  return preset === undefined ? checkDirectory(directory ?? '') : authorityPresets[preset].directoryUrl;
}

function checkDirectory(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '') {
    throw refusal('directory', 'directory must be the https:// URL of an ACME directory, without user and fragment.');
  }
  return url.href;
}

function checkEmail(text: string): string {
  const trimmed = text.trim();
  if (/^[^\s@<>(),;:"\\[\]\p{C}]{1,64}@[^\s@<>(),;:"\\[\]\p{C}]{1,253}$/u.test(trimmed)) return trimmed;
  throw refusal('email', 'Write one email address, such as ops@example.com.');
}

function checkRoots(pem: string): string {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    if (blocks.length === 0) throw new Error('no certificate');
    return blocks.map((block) => new X509Certificate(block).toString()).join('');
  } catch (cause) {
    const detail = 'The file of roots has no certificate in PEM that can be read.';
    throw new Problem('invalid_parameter', { field: 'root_pem', detail, cause });
  }
}

function checkExternalAccount(
  account: ExternalAccount | undefined,
): { readonly kid: string; readonly hmac: SecretText } | undefined {
  if (account === undefined) return undefined;
  const hmac = account.hmac.trim().replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  if (!/^[A-Za-z0-9_-]{16,}$/.test(hmac)) {
    throw refusal('external_account', 'The HMAC key must be base64url, as the authority shows it.');
  }
  if (!/^[\x21-\x7e]+$/.test(account.kid)) throw refusal('external_account', 'The key id must be visible ASCII.');
  return { kid: account.kid, hmac: new SecretText(hmac) };
}

function refusal(field: string, detail: string): Problem {
  return new Problem('invalid_parameter', { field, detail });
}

function nameTaken(name: string): Problem {
  return new Problem('conflict', {
    field: 'name',
    reason: 'authority_name_taken',
    parameters: { name },
    detail: `An authority named "${name}" exists already. Choose another name.`,
  });
}

function inUse(name: string, { count, names }: Uses, advice: string): Problem {
  return new Problem('conflict', {
    field: 'authority',
    reason: 'authority_in_use',
    parameters: { count: String(count), names },
    detail: `${count} certificate(s) are renewed by ${name}: ${names}. ${advice}`,
  });
}
