import { sql } from 'kysely';
import type { Database, Db } from '../database/database.ts';
import { insertingRows } from '../database/sql/row-source.ts';

type Key = { readonly organization_id: string; readonly id: string };

const columns = { organization_id: 'text', name: 'text', certificate_id: 'text' } as const;

/** The domains of a certificate's current version, in place of those before. */
export async function replaceNames(
  trx: Db,
  database: Pick<Database, 'rowSource'>,
  { organization_id, id }: Key,
  domains: readonly string[],
): Promise<void> {
  await forgetNames(trx, id);
  const rows = [...new Set(domains)].map((name) => [organization_id, name, id]);
  if (rows.length > 0) await insertingRows(database, 'certificate_name', columns, rows).execute(trx);
}

export async function forgetNames(trx: Db, certificateId: string): Promise<void> {
  await trx.deleteFrom('certificate_name').where('certificate_id', '=', certificateId).execute();
}

/**
 * What an issued certificate of another organization is for, of these names and the wildcards that cover them. A name that
 * this organization has an issued certificate for is its own as well. Anybody can import a certificate for any name, so
 * imported ones do not count.
 */
export async function findForeignName(
  db: Db,
  organizationId: string,
  names: readonly string[],
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string; own: number }>`
    select distinct n.name, case when n.organization_id = ${organizationId} then 1 else 0 end as own
    from certificate_name n
    where n.name in (${sql.join([...new Set(names.flatMap((name) => [name, wildcardOver(name)]))])})
      and (select source from certificate where organization_id = n.organization_id and id = n.certificate_id) = 'acme'`.execute(
    db,
  );
  const own = new Set(rows.flatMap((row) => (row.own === 1 ? row.name : [])));
  const foreign = new Set(rows.flatMap((row) => (row.own === 1 ? [] : row.name)));
  const asked = names.filter((name) => !own.has(name));
  return asked.flatMap((name) => [name, wildcardOver(name)]).find((name) => foreign.has(name));
}

/** `shop.example.com` → `*.example.com`: the wildcard that covers a name. */
function wildcardOver(name: string): string {
  return name.replace(/^[^.]*/, '*');
}

export interface SharedNames {
  readonly certificate_id: string;
  /** How many of the given domains it has. */
  readonly shared: number;
  /** How many domains it has in all. */
  readonly names: number;
}

/**
 * The certificates with the same domains, all of them and more, or only some of them: those with the same ones first, then the
 * newest. Whose domains merely overlap are left out.
 */
export async function findSharedNames(
  db: Db,
  database: Pick<Database, 'rowSource'>,
  organizationId: string,
  domains: readonly string[],
  limit: number,
): Promise<SharedNames[]> {
  const wanted = [...new Set(domains)];
  const source = database.rowSource(
    'wanted',
    { name: 'text' },
    wanted.map((name) => [name]),
  );
  const { rows } = await sql<{ certificate_id: string; shared: number | string; names: number | string }>`
    select certificate_id, shared, names from (
      select n.certificate_id, count(*) as shared, (
        select count(*) from certificate_name a where a.certificate_id = n.certificate_id
      ) as names
      from ${source} join certificate_name n on n.organization_id = ${organizationId} and n.name = wanted.name
      group by n.certificate_id
    ) as found
    where shared = names or shared = ${sql.lit(wanted.length)}
    order by case when names = ${sql.lit(wanted.length)} and shared = names then 0 else 1 end, certificate_id desc
    limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, shared: Number(row.shared), names: Number(row.names) }));
}
