import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { PushState } from '@waxwing/contract/messaging-api.ts';
import { type AuditTrail, createAuditTrail } from '../audit/audit-trail.ts';
import { type ChangeFeed, createChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import type { MessageEventRow, MessageRow } from '../database/schema/message-tables.ts';
import type { Open } from '../database/testing.ts';
import { createOrganizations } from '../organizations/organization.ts';
import { createOutbox, type Outbox } from '../push/outbox/outbox.ts';
import { newId } from '../runtime/clock.ts';
import { wait } from '../runtime/wait.ts';
import { createDeliveries, type Deliveries } from './delivery/apply-receipt.ts';
import { createPartQueue, type PartQueue } from './delivery/part-queue.ts';
import type { ReadPushStates } from './history/batch-report.ts';
import { type ManualTime, manualTime } from './manual-time.testing.ts';
import type { CarrierChoice } from './send/accept-group.ts';
import { type ChooseCarrier, createSendMessages, type SendMessages } from './send/send-messages.ts';
import { createMessagingFacts, type MessagingFacts } from './senders/known-senders.ts';

/** Messages over a fresh database, with two organizations whose pushes are on. What carriers do is up to the test. */
export interface MessagesWorld extends MessagesNode {
  readonly time: ManualTime;
  readonly audit: AuditTrail;
  readonly organizationId: string;
  readonly otherOrganizationId: string;
  readonly log: { fields: Record<string, unknown>; message: string }[];
  /** Who takes messages; undefined: nobody. */
  carrier: CarrierChoice | undefined;
  /** Decides instead of `carrier`, if it is set. */
  carrierOf: ChooseCarrier | undefined;
  /** Another server on the same database. */
  node(database?: Database): Promise<MessagesNode>;
  /** Sends one text to some numbers. @returns the batch's id */
  sendTo(mobiles: readonly string[], content?: string): Promise<string>;
  messagesOf(batchId: string): Promise<MessageRow[]>;
  events(organizationId?: string): Promise<MessageEventRow[]>;
  /** The parameters of the pushes that wait, in the order of their ids. */
  pushes(): Promise<unknown[]>;
}

/** What one server has. */
export interface MessagesNode {
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly outbox: Outbox;
  readonly facts: MessagingFacts;
  readonly queue: PartQueue;
  readonly deliveries: Deliveries;
  readonly messages: SendMessages;
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

export async function openMessagesWorld(test: TestContext, open: Open): Promise<MessagesWorld> {
  return buildMessagesWorld(await open(test));
}

/** @param time of another kind: for measurements, where ids must grow as they do in a real server */
export async function buildMessagesWorld(database: Database, time = manualTime()): Promise<MessagesWorld> {
  const { clock } = time;
  const audit = createAuditTrail(database, randomBytes(32));
  const log: MessagesWorld['log'] = [];
  let world: MessagesWorld | undefined;

  async function node(own: Database = database): Promise<MessagesNode> {
    const feed = createChangeFeed(own, clock, time.wait);
    await feed.sync();
    const outbox = createOutbox({ database: own, clock });
    const facts = createMessagingFacts({ db: own.db, feed, maxEntries: 1_000 });
    const queue = createPartQueue({ database: own, clock });
    const deliveries = createDeliveries({
      database: own,
      outbox,
      clock,
      // Real time, and a few milliseconds of it: a crowd would else wait for the test to move the clock.
      wait,
      log: { warn: (fields, message) => log.push({ fields, message }) },
    });
    const messages = createSendMessages({
      database: own,
      feed,
      outbox,
      queue,
      facts,
      carrierChooser: async () => (message) =>
        world?.carrierOf === undefined ? world?.carrier : world.carrierOf(message),
      clock,
      validityMs: dayMs,
      graceMs: dayMs,
      maxWaiting: 10_000,
    });
    return { database: own, feed, outbox, facts, queue, deliveries, messages };
  }

  const own = await node();
  const organizations = createOrganizations({ database, feed: own.feed, audit, clock });
  const { id: organizationId } = await organizations.create('test', 'Acme');
  const { id: otherOrganizationId } = await organizations.create('test', 'Other');
  for (const id of [organizationId, otherOrganizationId]) await switchPushesOn(database, id);

  world = {
    ...own,
    time,
    audit,
    organizationId,
    otherOrganizationId,
    log,
    carrier: { id: 'simulator', simulated: true },
    carrierOf: undefined,
    node,
    sendTo: (mobiles, content = 'Hello') =>
      own.messages.send({ organizationId, keyId: 'key', body: { mobiles, content }, idempotencyKey: undefined }),
    messagesOf: (batchId) =>
      database.db.selectFrom('message').selectAll().where('batch_id', '=', batchId).orderBy('position').execute(),
    events: (id = organizationId) =>
      database.db.selectFrom('message_event').selectAll().where('organization_id', '=', id).orderBy('number').execute(),
    async pushes() {
      const rows = await database.db.selectFrom('push').select('payload').orderBy('id').execute();
      return rows.map(({ payload }) => JSON.parse(payload) as unknown);
    },
  };
  return world;
}

async function switchPushesOn(database: Database, organizationId: string): Promise<void> {
  for (const kind of ['status', 'uplink'] as const) {
    await database.db
      .insertInto('push_setting')
      .values({
        organization_id: organizationId,
        id: newId(0),
        kind,
        shard: 0,
        url: `http://127.0.0.1:9/${kind}`,
        sealed_query: null,
        query_key_id: null,
        enabled: 1,
        timeout_ms: 10_000,
        retries: 3,
        concurrency: 1,
        created_at: 0,
        updated_at: 0,
        switched_at: 0,
      })
      .execute();
  }
}

/** As long as nobody delivers, everything that was queued waits. */
export const allWaiting: ReadPushStates = async (_organizationId, ids) =>
  new Map(ids.map((id): [string, PushState] => [id, 'waiting']));
