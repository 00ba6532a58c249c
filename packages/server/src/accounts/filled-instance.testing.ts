import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/connect.ts';

export interface Amounts {
  readonly certificates: number;
  readonly messages: number;
  readonly attempts: number;
  /** Replies, opt-outs, entries of the audit trail: of each. */
  readonly others: number;
}

/** One organization's settings, where its pushes stand. */
export interface FilledOrganization {
  readonly id: string;
  readonly statusSetting: string;
  readonly uplinkSetting: string;
}

const year = 365 * 86_400_000;
const start = 55 * year;
const rowsPerStatement = 100_000;

/**
 * Fills the lists of one organization inside the database, where rows are made by the hundred thousand. Most messages were
 * delivered, most pushes at the first attempt; one in a hundred failed, one in a thousand is of a reply.
 */
export async function fillInstance(database: Database, acme: FilledOrganization, amounts: Amounts): Promise<void> {
  const { certificates, messages, attempts, others } = amounts;
  const id = (prefix: number) => idSql(database, prefix);
  await insert(database, certificates, 'certificate', {
    ...{ organization_id: sql.lit(acme.id), id: id(1), name: sql`'certificate ' || i`, state: sql`'issued'` },
    ...{ source: sql`'imported'`, current_version: id(2), former_version: sql`null`, versions: sql`1` },
    ...{ created_at: sql`i`, updated_at: sql`i` },
  });
  const chain = sql.lit('x'.repeat(2_000));
  await insert(database, certificates, 'certificate_version', {
    ...{ organization_id: sql.lit(acme.id), certificate_id: id(1), id: id(2), number: sql`1`, state: sql`'issued'` },
    ...{ domains: sql`'["www' || i || '.example.com"]'`, chain, sealed_key: blob(database), key_id: sql`'k'` },
    ...{ key_type: sql`'EC'`, serial: sql`'01'`, fingerprint: sql`'f' || i`, issuer: sql`'i'`, subject: sql`'s'` },
    ...{ not_before: sql`0`, not_after: sql`${sql.lit(start)} + i`, created_at: sql`i`, revoked_at: sql`null` },
  });
  await insert(database, certificates, 'deployment', {
    ...{ organization_id: sql.lit(acme.id), id: id(3), certificate_id: id(1), name: sql`'web'`, enabled: sql`1` },
    ...{ permitted: sql`1`, query_token: sql`1`, allow_list: sql`'[]'`, requests_per_minute: sql`null` },
    ...{ expires_at: sql`null`, created_at: sql`i`, updated_at: sql`i` },
  });
  await insert(database, messages, 'message_batch', {
    ...{ organization_id: sql.lit(acme.id), id: id(4), key_id: sql`''`, content: sql`'Hello'`, sender: sql`null` },
    ...{ messages: sql`1`, accepted_at: moment },
  });
  const few = sql`case when i % 100 = 0 then`;
  await insert(database, messages, 'message', {
    ...{
      organization_id: sql.lit(acme.id),
      batch_id: id(4),
      position: sql`0`,
      mobile: number,
      number,
      segments: sql`1`,
    },
    ...{ parts: sql`${few} 's' else 'D' end`, memos: sql`null`, memo: sql`case when i % 100 = 1 then 'no' end` },
    status: sql`${few} null when i % 100 = 1 then 'REJECTED' when i % 100 = 2 then 'UNDELIV' else 'DELIVRD' end`,
    ...{ carrier_id: sql`'simulator'`, simulated: sql`1`, accepted_at: moment, sent_at: moment },
    ...{ settled_at: sql`${few} null else ${moment} end`, ends_at: moment, push_id: id(5) },
  });
  // Half of the attempts are those that ended a push, the others came before one.
  const half = Math.floor(attempts / 2);
  const setting = sql`case when i % 1000 = 0 then ${sql.lit(acme.uplinkSetting)} else ${sql.lit(acme.statusSetting)} end`;
  const payload = sql`case when i % 1000 = 0 then '{"mobile":"+8613800138000","message":"Hello"}'
    else '{"batch_id":"b","mobile":"+8613800138000","status":"DELIVRD"}' end`;
  const shard = sql`(select shard from push_setting where push_setting.id = ${setting})`;
  const attempt = {
    ...{ at: moment, ms: sql`7`, address: sql`'192.0.2.1'`, outcome: sql`'answered'`, status: sql`500` },
    ...{ error: sql`null`, excerpt: sql`'no'` },
  };
  await insert(database, half, 'push_history', {
    ...{ organization_id: sql.lit(acme.id), id: id(5), setting_id: setting, attempts: sql`2`, payload, ...attempt },
    state: sql`case when i % 100 = 0 then 'failed' when i % 100 = 1 then 'off' else 'delivered' end`,
    ...{ created_at: moment, ended_at: moment },
  });
  await insert(database, half, 'push_attempt', {
    ...{ organization_id: sql.lit(acme.id), push_id: id(5), number: sql`1`, ...attempt },
  });
  await insert(database, others, 'push', {
    ...{ organization_id: sql.lit(acme.id), id: id(6), setting_id: setting, shard, due_at: moment, payload },
    ...{ queued_at: moment, created_at: moment, attempts: sql`1`, attempts_before: sql`0`, filed: sql`1` },
  });
  await insert(database, others, 'reply', {
    ...{ organization_id: sql`case when i % 2 = 0 then ${sql.lit(acme.id)} else '' end`, id: id(7) },
    ...{ carrier_id: sql`'simulator'`, sender: number, recipient: sql`'106'`, content: sql`'Hello'` },
    ...{ owned_by: sql`'number'`, stop: sql`0`, simulated: sql`1`, received_at: moment, push_id: sql`null` },
  });
  const listed = { organization_id: sql.lit(acme.id), number, created_at: moment };
  await insert(database, others, 'opt_out', { ...listed, source: sql`'manual'` });
  await insert(database, others, 'blocked_number', listed);
  await fillAudit(database, acme.id, others);
  if (database.dialect === 'postgres') await sql`analyze`.execute(database.db);
}

async function fillAudit(database: Database, organizationId: string, count: number): Promise<void> {
  const head = await database.db.selectFrom('audit_head').select('link').executeTakeFirstOrThrow();
  const link = sql`${sql.lit(head.link + 1)} + i`;
  await insert(database, count, 'audit_link', {
    ...{ link, day: sql`'2025-01-01'`, at: moment, entries: sql`1`, mac: sql`'m'` },
  });
  await insert(database, count, 'audit_entry', {
    ...{
      link,
      position: sql`0`,
      organization_id: sql.lit(organizationId),
      at: moment,
      subject: sql`'s' || (i % 1000)`,
    },
    ...{ actor: sql`'deployment:' || (i % 1000)`, action: sql`'private-key.hand-out'`, detail: sql`'{}'` },
  });
  await insert(database, count, 'audit_index', {
    term: sql`${sql.lit(`o:${organizationId}`)}`,
    link,
    position: sql`0`,
  });
  await insert(database, count, 'audit_index', { term: sql`'s:s' || (i % 1000)`, link, position: sql`0` });
  const reached = head.link + count;
  await database.db.updateTable('audit_head').set({ link: reached }).execute();
  await database.db.updateTable('audit_index_state').set({ link: reached }).execute();
}

type Value = RawBuilder<unknown>;

/** A moment a second after that of the row before. */
const moment = sql`(${sql.lit(start)} + i * 1000)`;
const number = sql`'+86' || (13800000000 + i)`;
const blob = ({ dialect }: Database): Value => (dialect === 'sqlite' ? sql`zeroblob(100)` : sql`decode('00', 'hex')`);

/** An id as `newId` makes them, of the row's moment; those of one prefix are the same for the same row. */
function idSql({ dialect }: Database, prefix: number): Value {
  const hex = dialect === 'sqlite' ? sql`printf('%012x', ${moment})` : sql`lpad(to_hex(${moment}), 12, '0')`;
  const end = dialect === 'sqlite' ? sql`printf('%012x', i)` : sql`lpad(to_hex(i), 12, '0')`;
  return sql`substr(${hex}, 1, 8) || '-' || substr(${hex}, 9, 4) || ${sql.lit(`-7000-8${String(prefix).padStart(3, '0')}-`)} || ${end}`;
}

async function insert(
  database: Database,
  count: number,
  table: string,
  columns: Readonly<Record<string, Value>>,
): Promise<void> {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  const values = sql.join(Object.values(columns));
  for (let from = 0; from < count; from += rowsPerStatement) {
    const [first, last] = [sql.lit(from), sql.lit(Math.min(count, from + rowsPerStatement) - 1)];
    const rows =
      database.dialect === 'sqlite'
        ? sql`with recursive n(i) as (select ${first} union all select i + 1 from n where i < ${last})
            select ${values} from n`
        : sql`select ${values} from (select cast(i as bigint) as i from generate_series(${first}, ${last}) as g(i)) as n`;
    await database.maintain((trx) => sql`insert into ${sql.table(table)} (${names}) ${rows}`.execute(trx));
  }
}
