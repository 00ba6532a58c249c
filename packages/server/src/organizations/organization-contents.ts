import type { Db } from '../database/database.ts';

/** What keeps an organization from being deleted: credentials, keys, and records that are kept for their time. */
export const kept = {
  certificate: 'certificates',
  deployment: 'deployments',
  dns_provider: 'DNS providers',
  messaging_key: 'messaging keys',
  management_key: 'management keys',
  route: 'inbound numbers',
  message_batch: 'messages',
  reply: 'replies',
  push_history: 'records of pushes',
} as const;

/** What goes with an organization: settings, lists, figures, and people's places in it. */
export const removed = [
  'acme_challenge',
  'acme_order',
  'acme_step',
  'alert',
  'alert_channel',
  'alert_condition',
  'alert_delivery',
  'blocked_number',
  'blocked_word',
  'certificate_request',
  'daily_usage',
  'idempotency_key',
  'membership',
  'message_counter',
  'one_time_link',
  'opt_out',
  'organization_messaging',
  'push_minute',
  'push_resend',
  'push_secret',
  'push_setting',
] as const;

/** What is left in an organization, in words. */
export async function contentsOf(trx: Db, id: string): Promise<string[]> {
  const left: string[] = [];
  for (const [table, words] of Object.entries(kept)) {
    const row = await trx
      .selectFrom(table as keyof typeof kept)
      .select('organization_id')
      .where('organization_id', '=', id)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) left.push(words);
  }
  // They wait as long as the organization is suspended, and are found by their setting alone.
  const settings = trx.selectFrom('push_setting').select('id').where('organization_id', '=', id);
  const waiting = await trx.selectFrom('push').select('id').where('setting_id', 'in', settings).executeTakeFirst();
  return waiting === undefined ? left : [...left, 'waiting pushes'];
}

/** Deletes an empty organization. @returns the accounts that were its members */
export async function removeContents(trx: Db, id: string): Promise<string[]> {
  const members = await trx.selectFrom('membership').select('account_id').where('organization_id', '=', id).execute();
  for (const table of removed) await trx.deleteFrom(table).where('organization_id', '=', id).execute();
  await trx.deleteFrom('organization').where('id', '=', id).execute();
  return members.map(({ account_id }) => account_id);
}
