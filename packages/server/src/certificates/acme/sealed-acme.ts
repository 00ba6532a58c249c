import { createPrivateKey, type KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import type { AcmeOrderRow, AuthorityRow, DnsProviderRow } from '../../database/schema/acme-tables.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { checkSealed } from '../../secrets/check-sealed.ts';
import { open, rewrap, type SealContext, seal } from '../../secrets/envelope.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';

type Owned = { readonly organization_id: string; readonly id: string };

const accountKeyContext = (id: string): SealContext => ({ purpose: 'acme-account-key', ids: [id] });
const externalContext = (id: string): SealContext => ({ purpose: 'acme-external-account', ids: [id] });
const providerContext = ({ organization_id, id }: Owned): SealContext => ({
  purpose: 'dns-provider',
  ids: [organization_id, id],
});
const orderKeyContext = ({ organization_id, id }: Owned): SealContext => ({
  purpose: 'acme-order-key',
  ids: [organization_id, id],
});

export const sealAccountKey = (ring: KeyRing, id: string, key: KeyObject) => sealKey(ring, accountKeyContext(id), key);
export const openAccountKey = (ring: KeyRing, { id, sealed_key }: Pick<AuthorityRow, 'id' | 'sealed_key'>) =>
  openKey(ring, accountKeyContext(id), sealed_key);
/** The key that the account is about to get; undefined where there is none. */
export const openNextAccountKey = (
  ring: KeyRing,
  { id, next_sealed_key }: Pick<AuthorityRow, 'id' | 'next_sealed_key'>,
) => (next_sealed_key === null ? undefined : openKey(ring, accountKeyContext(id), next_sealed_key));

export const sealExternalAccount = (ring: KeyRing, id: string, secret: SecretText) =>
  sealText(ring, externalContext(id), secret);
/** The HMAC key as it was given; undefined where there is none. */
export const openExternalAccount = (ring: KeyRing, { id, sealed_eab }: Pick<AuthorityRow, 'id' | 'sealed_eab'>) =>
  sealed_eab === null ? undefined : openText(ring, externalContext(id), sealed_eab);

export const sealProviderSecret = (ring: KeyRing, owner: Owned, secret: SecretText) =>
  sealText(ring, providerContext(owner), secret);
export const openProviderSecret = (ring: KeyRing, row: Owned & Pick<DnsProviderRow, 'sealed'>) =>
  row.sealed === null ? undefined : openText(ring, providerContext(row), row.sealed);

export const sealOrderKey = (ring: KeyRing, owner: Owned, key: KeyObject) => sealKey(ring, orderKeyContext(owner), key);
export const openOrderKey = (ring: KeyRing, row: Owned & { readonly sealed_key: Uint8Array }) =>
  openKey(ring, orderKeyContext(row), row.sealed_key);

function sealText(ring: KeyRing, context: SealContext, secret: SecretText): Uint8Array {
  const clear = Buffer.from(secret.reveal());
  try {
    return seal(ring, context, clear);
  } finally {
    clear.fill(0);
  }
}

function openText(ring: KeyRing, context: SealContext, sealed: Uint8Array): SecretText {
  const clear = open(ring, context, sealed);
  try {
    return new SecretText(clear.toString());
  } finally {
    clear.fill(0);
  }
}

function sealKey(ring: KeyRing, context: SealContext, key: KeyObject): Uint8Array {
  return sealText(ring, context, new SecretText(key.export({ type: 'pkcs8', format: 'pem' }).toString()));
}

function openKey(ring: KeyRing, context: SealContext, sealed: Uint8Array): KeyObject {
  return createPrivateKey(openText(ring, context, sealed).reveal());
}

type Columns = Readonly<Record<string, { readonly sealed: Uint8Array; readonly context: SealContext }>>;

interface SealedTable<Row extends { readonly id: string; readonly key_id: string | null }> {
  /** For people: `account keys of authorities`. */
  readonly name: string;
  readonly table: 'authority' | 'dns_provider' | 'acme_order';
  readonly nameOf: (row: Row) => string;
  /** The sealed columns of a row. */
  readonly columnsOf: (row: Row) => Columns;
}

/** The sealed columns of one table, as the master-key rotation and the doctor see them. */
function sealedTable<Row extends { readonly id: string; readonly key_id: string | null }>(
  { db, transaction }: Pick<Database, 'db' | 'transaction'>,
  { name, table, nameOf, columnsOf }: SealedTable<Row>,
) {
  const from = sql.table(table);
  const read = async (after: string, limit: number): Promise<readonly Row[]> =>
    (
      await sql<Row>`select * from ${from} where key_id is not null and id > ${after} order by id limit ${limit}`.execute(
        db,
      )
    ).rows;
  return {
    name,

    async keysInUse(trx: Db): Promise<readonly string[]> {
      const { rows } = await sql<{ key_id: string }>`
        select distinct key_id from ${from} where key_id is not null`.execute(trx);
      return rows.map(({ key_id }) => key_id);
    },

    /** @throws SealError when one does not open: the rotation stops there, and the key it may need is kept. */
    async rewrap(ring: KeyRing, limit: number): Promise<number> {
      const { rows } = await sql<Row>`
        select * from ${from} where key_id <> ${ring.current.id} order by id limit ${limit}`.execute(db);
      if (rows.length === 0) return 0;
      await transaction(async (trx) => {
        for (const row of rows) {
          const columns = Object.entries(columnsOf(row));
          const set = columns.map(
            ([column, { sealed, context }]) =>
              sql`${sql.ref(column)} = ${rewrap(ring, context, sealed) ?? Buffer.from(sealed)}`,
          );
          const same = columns.map(([column, { sealed }]) => sql`${sql.ref(column)} = ${Buffer.from(sealed)}`);
          await sql`update ${from} set key_id = ${ring.current.id}, ${sql.join(set)}
            where id = ${row.id} and ${sql.join(same, sql` and `)}`.execute(trx);
        }
      });
      return rows.length;
    },

    check: (ring: KeyRing) =>
      checkSealed<Row>({
        read,
        placeOf: ({ id }) => id,
        open(row) {
          for (const { sealed, context } of Object.values(columnsOf(row))) open(ring, context, sealed).fill(0);
        },
        nameOf,
      }),
  };
}

export function sealedAuthorities(database: Database) {
  return sealedTable<AuthorityRow>(database, {
    name: 'authorities',
    table: 'authority',
    nameOf: ({ id }) => `authority ${id}`,
    columnsOf: ({ id, sealed_key, next_sealed_key, sealed_eab }) => ({
      sealed_key: { sealed: sealed_key, context: accountKeyContext(id) },
      ...(next_sealed_key !== null && {
        next_sealed_key: { sealed: next_sealed_key, context: accountKeyContext(id) },
      }),
      ...(sealed_eab !== null && { sealed_eab: { sealed: sealed_eab, context: externalContext(id) } }),
    }),
  });
}

export function sealedDnsProviders(database: Database) {
  return sealedTable<DnsProviderRow>(database, {
    name: 'DNS providers',
    table: 'dns_provider',
    nameOf: ({ id }) => `DNS provider ${id}`,
    columnsOf: (row) => (row.sealed === null ? {} : { sealed: { sealed: row.sealed, context: providerContext(row) } }),
  });
}

/** The private keys of orders under way. */
export function sealedOrderKeys(database: Database) {
  return sealedTable<AcmeOrderRow>(database, {
    name: 'keys of orders',
    table: 'acme_order',
    nameOf: ({ id, certificate_id }) => `order ${id} of certificate ${certificate_id}`,
    columnsOf: (row): Columns =>
      row.sealed_key === null ? {} : { sealed_key: { sealed: row.sealed_key, context: orderKeyContext(row) } },
  });
}
