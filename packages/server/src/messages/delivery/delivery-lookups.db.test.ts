import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompiledQuery, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { MessageRow } from '../../database/schema/message-tables.ts';
import { fillTable, wasteOf } from '../../database/sql/query-plan.testing.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { buildMessagesWorld } from '../messages-world.testing.ts';
import {
  deletingParts,
  deletingPartsOf,
  explainingMoves,
  findingCarrierMessages,
  findingOrphans,
  lockingMessages,
  postponingParts,
  removingOrphans,
  updatingMessages,
} from './delivery-store.ts';

const rowsEach = 20_000;
const tables = ['message', 'message_part', 'carrier_message', 'orphan_receipt'] as const;

onBothDatabases('what becomes of messages', (open, kind) => {
  for (const left of [0, 1]) {
    test(`is recorded by look-ups although the planner counted when ${left} rows of many were left`, async (t) => {
      const database = await open(t);
      await fill(database, 0);
      for (const table of tables) {
        const at = sql.ref(table === 'orphan_receipt' ? 'received_at' : 'position');
        await sql`delete from ${sql.table(table)} where ${at} >= ${left}`.execute(database.db);
        if (kind === 'postgres') await sql`analyze ${sql.table(table)}`.execute(database.db);
      }
      await fill(database, left);

      for (const statement of statementsOf(database)) {
        const waste = await wasteOf(database, statement, { isLarge: isFilled, planner: 'by keys' });
        assert.deepEqual(
          waste.filter(({ kind: found }) => found === 'scan'),
          [],
          statement.sql,
        );
      }
    });
  }

  test('is recorded in a transaction that begins with what makes the planner look up', async (t) => {
    const database = await open(t);
    const sent: string[] = [];
    const { deliveries } = await (await buildMessagesWorld(database)).node({
      ...database,
      runBatch(queries, ...rest) {
        sent.push(...queries.map(({ sql: statement }) => statement));
        return database.runBatch(queries, ...rest);
      },
    });
    await deliveries.apply({ kind: 'receipt', carrierId: 'c', carrierMessageId: '1', verdict: { status: 'DELIVRD' } });
    const first = database.lookUp.firstByKeys.map((query) => query.compile(database.db).sql);
    assert.ok(sent.length > first.length);
    assert.deepEqual(sent.slice(0, first.length), first);
  });
});

/** By its name, or by what statements call it. */
const isFilled = (table: string) => ['m', 'o', ...tables].includes(table);

function statementsOf(database: Database): CompiledQuery[] {
  const refs = Array.from({ length: 50 }, (_, n) => ({ organizationId: 'o', batchId: 'b', position: 300 * n }));
  const keys = refs.map(({ position }) => ({ carrierId: 'c', carrierMessageId: String(position) }));
  const postponed = refs.map((ref) => ({
    ...{ part: { ...ref, part: 0 }, dueAt: 1, attempts: 1, unanswered: 0, refusedBy: ['c'], next: { id: 'd' } },
  }));
  const parts = postponed.map(({ part }) => part);
  return [
    ...findingCarrierMessages(database, keys),
    ...findingOrphans(database, keys),
    ...lockingMessages(database, refs, keys),
    ...lockingMessages(database, refs, []),
    ...lockingMessages(database, [], keys),
    ...updatingMessages(
      database,
      refs.map(({ position }) => ({ ...messageAt(position), newPushId: null })),
    ),
    ...deletingParts(database, parts),
    ...deletingPartsOf(database, refs),
    ...postponingParts(database, postponed),
    ...explainingMoves(database, postponed),
    ...removingOrphans(
      database,
      refs.map(({ position }) => orphanAt(position)),
    ),
  ];
}

async function fill(database: Database, from: number): Promise<void> {
  const count = rowsEach - from;
  const ofPart = { organization_id: 'o', batch_id: 'b', part: 0, carrier_id: 'c' };
  const waiting = {
    ...{ number: '+1', text_cut: null, due_at: 1, valid_until: 9, attempts: 0, unanswered: 0, refused_by: '' },
  };
  await fillTable(database, 'message', count, (n) => messageAt(n + from));
  await fillTable(database, 'message_part', count, (n) => ({ ...ofPart, ...waiting, position: n + from }));
  await fillTable(database, 'carrier_message', count, (n) => ({
    ...{ ...ofPart, position: n + from, carrier_message_id: String(n + from), sent_at: 1 },
  }));
  await fillTable(database, 'orphan_receipt', count, (n) => orphanAt(n + from));
}

function messageAt(position: number): MessageRow {
  return {
    ...{ organization_id: 'o', batch_id: 'b', position, mobile: '1', number: '+1', segments: 1, text_cut: null },
    ...{ parts: 'q', memos: null, status: null, memo: null, carrier_id: 'c', carrier_reason: null, simulated: 0 },
    ...{ accepted_at: 1, sent_at: null, settled_at: null, ends_at: 9, push_id: null },
  };
}

function orphanAt(position: number) {
  return {
    ...{ carrier_id: 'c', carrier_message_id: String(position), status: 'DELIVRD' as const, memo: null },
    received_at: position,
  };
}
