import { sql } from 'kysely';
import { indexLinks } from '../audit/audit-index.ts';
import type { Database } from '../database/database.ts';
import { fillPeople } from './filled-people.testing.ts';
import { blob, firstMoment, idSql, insertRows, moment, number, type Value } from './insert-rows.testing.ts';

export interface Amounts {
  /** The number of the first row. No two fillings of one instance may overlap. */
  readonly first: number;
  readonly certificates: number;
  readonly messages: number;
  readonly attempts: number;
  /** Of one deployment. */
  readonly retrievals: number;
  /** Replies, opt-outs, blocked numbers, refusals of a deployment, audit entries: of each. */
  readonly others: number;
  /** Organizations, accounts, members, invitations, keys, routes, blocked words: of each. */
  readonly people: number;
  /** Of one account: as many as the settings allow. */
  readonly sessions: number;
  /** Of one push setting, not yet finished. */
  readonly resends: number;
}

/** An organization with the push setting and the deployment to fill. */
interface FilledOrganization {
  readonly id: string;
  readonly accountId: string;
  readonly statusSetting: string;
  readonly uplinkSetting: string;
  readonly deploymentId: string;
}

/** Fills the lists of an organization and of the instance, inside the database. Rare states are rare. */
export async function fillInstance(database: Database, acme: FilledOrganization, amounts: Amounts): Promise<void> {
  const { first } = amounts;
  await fillIssuing(database, acme, { first, count: Math.min(amounts.others, 40) });
  await fillCertificates(database, acme, { first, count: amounts.certificates });
  await fillMessages(database, acme, { first, count: amounts.messages });
  await fillPushes(database, acme, amounts);
  await fillReplies(database, acme, { first, count: amounts.others });
  await fillRefusals(database, acme, { first, count: amounts.others });
  await fillPeople(database, acme, amounts);
  await fillAlerts(database, acme, amounts);
  await fillAudit(database, {
    ...{ first, count: amounts.retrievals, organization: sql.lit(acme.id), subject: sql.lit(acme.deploymentId) },
    ...{ actor: sql.lit(`deployment:${acme.deploymentId}`), action: sql`'private-key.hand-out'` },
    certificate: sql`(select min(id) from certificate where organization_id = ${sql.lit(acme.id)})`,
  });
  await fillAudit(database, {
    ...{
      first: first + amounts.retrievals,
      count: amounts.others,
      organization: sql`case when i % 2 = 0 then ${sql.lit(acme.id)} else '' end`,
    },
    ...{ subject: sql`'s' || (i % 1000)`, actor: sql`'account:' || (i % 1000)` },
    action: sql`case when i % 100 = 0 then 'member.update' else 'deployment.update' end`,
  });
}

/** There are few authorities, and an organization has few DNS providers. */
async function fillIssuing(database: Database, acme: FilledOrganization, count: Count): Promise<void> {
  const own = { created_at: moment, updated_at: moment, sealed: sql`null`, key_id: sql`null` };
  await insertRows(database, count, 'authority', {
    ...{ id: idSql(database, 12), name: sql`'authority ' || i`, directory: sql`'https://ca.example.com/' || i` },
    ...{ email: sql`'ops@example.com'`, account_key: sql`'ec256'`, sealed_key: blob(database), key_id: sql`'none'` },
    ...{ failures: sql`0`, created_at: moment, updated_at: moment },
  });
  await insertRows(database, count, 'dns_provider', {
    ...{ organization_id: sql.lit(acme.id), id: idSql(database, 13), kind: sql`'manual'`, name: sql`'dns ' || i` },
    ...{ options: sql`'{}'`, ...own },
  });
}

async function fillCertificates(database: Database, acme: FilledOrganization, count: Count): Promise<void> {
  const id = (prefix: number) => idSql(database, prefix);
  const organization_id = sql.lit(acme.id);
  const state = sql`case when i % 1000 = 0 then 'revoked' else 'issued' end`;
  await insertRows(database, count, 'certificate', {
    ...{ organization_id, id: id(1), name: sql`'certificate ' || i`, state },
    ...{ source: sql`'acme'`, current_version: id(2), former_version: sql`null`, versions: sql`1` },
    ...{ created_at: sql`i`, updated_at: sql`i` },
  });
  const failed = sql`case when i % 10 = 0 then 1 else 0 end`;
  await insertRows(database, count, 'certificate_request', {
    ...{ organization_id, certificate_id: id(1), authorities: sql`'["a"]'`, authority_index: sql`0` },
    ...{ domains: sql`'["www' || i || '.example.com"]'`, challenge: sql`'http-01'`, dns_provider_id: sql`null` },
    ...{ key_kind: sql`'ec256'`, keep_key: sql`0`, profile: sql`null`, attempts: failed },
    ...{ next_at: sql`${sql.lit(firstMoment)} + i`, window_start: sql`null`, window_end: sql`null` },
    ...{ ari_next_at: sql`null`, last_error: sql`null`, last_error_at: sql`i`, order_id: sql`null` },
    ...{ issued_by: sql`null`, created_at: sql`i`, updated_at: sql`i` },
  });
  const chain = sql.lit('x'.repeat(2_000));
  await insertRows(database, count, 'certificate_version', {
    ...{ organization_id, certificate_id: id(1), id: id(2), number: sql`1`, state: sql`'issued'` },
    ...{ domains: sql`'["www' || i || '.example.com"]'`, chain, sealed_key: blob(database), key_id: sql`'k'` },
    ...{ key_type: sql`'EC'`, serial: sql`'01'`, fingerprint: sql`'f' || i`, issuer: sql`'i'`, subject: sql`'s'` },
    ...{ not_before: sql`0`, not_after: sql`${sql.lit(firstMoment)} + i`, created_at: sql`i`, revoked_at: sql`null` },
  });
  await insertRows(database, count, 'deployment', {
    ...{ organization_id, id: id(3), certificate_id: id(1), name: sql`'web'`, enabled: sql`1` },
    ...{ permitted: sql`1`, query_token: sql`1`, allow_list: sql`'[]'`, requests_per_minute: sql`null` },
    ...{ expires_at: sql`null`, created_at: sql`i`, updated_at: sql`i` },
  });
  await insertRows(database, count, 'deployment_activity', {
    ...{ organization_id, deployment_id: id(3), last_seen_at: sql`i`, last_address: sql`''` },
    ...{ last_user_agent: sql`'curl'`, last_version: sql`case when i % 100 = 1 then 'former' else ${id(2)} end` },
    ...{ version_since: sql`i`, successes: sql`1`, not_modified: sql`0` },
  });
}

async function fillMessages(database: Database, acme: FilledOrganization, count: Count): Promise<void> {
  const organization_id = sql.lit(acme.id);
  const batch = idSql(database, 4);
  await insertRows(database, count, 'message_batch', {
    ...{ organization_id, id: batch, key_id: sql`''`, content: sql`'Hello'`, sender: sql`null` },
    ...{ messages: sql`1`, accepted_at: moment },
  });
  const few = sql`case when i % 100 = 0 then`;
  await insertRows(database, count, 'message', {
    ...{ organization_id, batch_id: batch, position: sql`0`, mobile: number, number, segments: sql`1` },
    ...{ parts: sql`${few} 's' else 'D' end`, memos: sql`null`, memo: sql`case when i % 100 = 1 then 'no' end` },
    status: sql`${few} null when i % 100 = 1 then 'REJECTED' when i % 100 = 2 then 'UNDELIV' else 'DELIVRD' end`,
    ...{ carrier_id: sql`'simulator'`, simulated: sql`1`, accepted_at: moment, sent_at: moment },
    ...{ settled_at: sql`${few} null else ${moment} end`, ends_at: moment, push_id: idSql(database, 5) },
  });
}

async function fillPushes(database: Database, acme: FilledOrganization, amounts: Amounts): Promise<void> {
  const organization_id = sql.lit(acme.id);
  const id = idSql(database, 5);
  // Half of the attempts ended a push.
  const { first } = amounts;
  const ended = { first, count: Math.floor(amounts.attempts / 2) };
  const setting_id = sql`case when i % 999 = 0 then ${sql.lit(acme.uplinkSetting)} else ${sql.lit(acme.statusSetting)} end`;
  const payload = sql`case when i % 999 = 0 then '{"mobile":"+8613800138000","message":"Hello"}'
    else '{"batch_id":"b","mobile":"+8613800138000","status":"DELIVRD"}' end`;
  const shard = sql`(select shard from push_setting where push_setting.id = ${setting_id})`;
  const attempt = {
    ...{ at: moment, ms: sql`7`, address: sql`'192.0.2.1'`, outcome: sql`'answered'`, status: sql`500` },
    ...{ error: sql`null`, excerpt: sql`'no'` },
  };
  await insertRows(database, ended, 'push_history', {
    ...{ organization_id, id, setting_id, attempts: sql`2`, payload, ...attempt },
    state: sql`case when i % 100 = 0 then 'failed' when i % 100 = 1 then 'off' else 'delivered' end`,
    ...{ created_at: moment, ended_at: moment },
  });
  await insertRows(database, ended, 'push_attempt', { organization_id, push_id: id, number: sql`1`, ...attempt });
  await insertRows(database, { first, count: amounts.others }, 'push', {
    ...{ organization_id, id: idSql(database, 6), setting_id, shard, due_at: moment, payload },
    ...{ queued_at: moment, created_at: moment, attempts: sql`1`, attempts_before: sql`0` },
  });
  await insertRows(database, { first, count: amounts.resends }, 'push_resend', {
    ...{ organization_id, id: idSql(database, 8), setting_id: sql.lit(acme.statusSetting) },
    shard: sql`(select shard from push_setting where push_setting.id = ${sql.lit(acme.statusSetting)})`,
    ...{ states: sql`'failed,off'`, reached: sql`''`, missed_since: sql`null`, missed_after: sql`null` },
    ...{ moved: sql`0`, created_at: sql.lit(Date.now()) },
  });
}

async function fillReplies(database: Database, acme: FilledOrganization, count: Count): Promise<void> {
  await insertRows(database, count, 'reply', {
    ...{ organization_id: sql`case when i % 2 = 0 then ${sql.lit(acme.id)} else '' end`, id: idSql(database, 7) },
    ...{ carrier_id: sql`'simulator'`, sender: number, recipient: sql`'106'`, content: sql`'Hello'` },
    ...{ owned_by: sql`'number'`, stop: sql`0`, simulated: sql`1`, received_at: moment, push_id: sql`null` },
  });
  const listed = { organization_id: sql.lit(acme.id), number, created_at: moment };
  await insertRows(database, count, 'opt_out', { ...listed, source: sql`'manual'` });
  await insertRows(database, count, 'blocked_number', listed);
  await insertRows(database, count, 'blocked_number', { ...listed, organization_id: sql`''` });
}

/** A hundred addresses are refused every minute. */
async function fillRefusals(database: Database, acme: FilledOrganization, count: Count): Promise<void> {
  await insertRows(database, count, 'deployment_refusal', {
    ...{ organization_id: sql.lit(acme.id), deployment_id: sql.lit(acme.deploymentId), minute: sql`i / 100` },
    ...{ reason: sql`'address_not_allowed'`, address: sql`'192.0.2.' || (i % 100)`, count: sql`1` },
  });
}

/** The instance has few. Of channels an owner may have a hundred, and tests make more. */
async function fillAlerts(
  database: Database,
  acme: FilledOrganization,
  { first, others: count }: Amounts,
): Promise<void> {
  const organization_id = sql`case when i % 20 = 0 then '' else ${sql.lit(acme.id)} end`;
  const [id, channel_id] = [idSql(database, 10), idSql(database, 9)];
  await insertRows(database, { first, count: Math.min(count, 40) }, 'alert_channel', {
    ...{ organization_id, id: channel_id, kind: sql`'email'`, name: sql`'channel ' || i`, enabled: sql`1` },
    ...{ recipients: sql`'["duty@example.com"]'`, host: sql`null`, signed: sql`0`, sealed: sql`null` },
    ...{ key_id: sql`null`, created_at: moment, updated_at: moment, failures: sql`0`, retry_at: sql`0` },
    ...{ last_sent_at: moment, last_error: sql`null` },
  });
  await insertRows(database, { first, count }, 'alert', {
    ...{ organization_id, id, type: sql`'certificate.expiring.resolved'`, about_id: sql`'c' || i` },
    ...{ notice: sql`'certificate_expiring_resolved'`, parameters: sql`'{"certificate":"shop"}'`, at: moment },
  });
  await insertRows(database, { first, count }, 'alert_delivery', {
    ...{ organization_id, channel_organization_id: organization_id, alert_id: id, channel_id, digest_id: id },
    ...{ kind: sql`'email'`, channel: sql`'channel ' || i`, destination: sql`'duty@example.com'` },
    ...{ state: sql`'sent'`, attempts: sql`1`, tried_at: moment, ended_at: moment, last_error: sql`null` },
  });
}

type Count = Parameters<typeof insertRows>[1];

interface AuditFilling {
  readonly first: number;
  readonly count: number;
  readonly organization: Value;
  readonly subject: Value;
  readonly actor: Value;
  readonly action: Value;
  /** The certificate of a hand-out. */
  readonly certificate?: Value;
}

/** Appends to the trail without a valid chain, which no test verifies here. */
async function fillAudit(database: Database, filling: AuditFilling): Promise<void> {
  const { first, count, organization, subject, certificate, ...entry } = filling;
  const head = await database.db.selectFrom('audit_head').select('link').executeTakeFirstOrThrow();
  const link = sql`${sql.lit(head.link + 1 - first)} + i`;
  const place = { link, position: sql`0` };
  await insertRows(database, { first, count }, 'audit_link', {
    ...{ link, day: sql`'2025-01-01'`, at: moment, entries: sql`1`, mac: sql`'m'` },
  });
  const handedOut = certificate === undefined ? sql`''` : sql`'"certificate":"' || ${certificate} || '",'`;
  const detail = sql`'{' || ${handedOut} || '"version":"v","address":"192.0.2.1","user_agent":"curl/8"}'`;
  await insertRows(database, { first, count }, 'audit_entry', {
    ...{ ...place, organization_id: organization, at: moment, subject, ...entry, detail },
  });
  const reached = head.link + count;
  await database.db.updateTable('audit_head').set({ link: reached }).execute();
  while (await indexLinks(database));
}
