import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { DatabaseKind } from '../database/database.ts';
import { fillTable } from '../database/sql/query-plan.testing.ts';
import { onBothDatabases } from '../database/testing.ts';
import { type Caller, openManagementWorld } from '../whole-server/management-world.testing.ts';

interface ListAnswer {
  readonly items: readonly { readonly id: string; readonly name: string }[];
  readonly next_cursor: string | null;
}

async function openWorld(t: TestContext, kind: DatabaseKind) {
  const world = await openManagementWorld(t, kind);
  const page = async (caller: Caller, search: string, limit: number, cursor: string | null): Promise<ListAnswer> => {
    const query = new URLSearchParams({ search, limit: String(limit), ...(cursor !== null && { cursor }) });
    const { status, json } = await world.request(caller, 'GET', `/organizations?${query}`);
    assert.equal(status, 200);
    return json as unknown as ListAnswer;
  };
  return {
    ...world,
    page,
    /** The names on all pages together. */
    async found(caller: Caller, search: string, limit = 1): Promise<string[]> {
      const names: string[] = [];
      let cursor: string | null = null;
      do {
        const answer: ListAnswer = await page(caller, search, limit, cursor);
        names.push(...answer.items.map(({ name }) => name));
        cursor = answer.next_cursor;
      } while (cursor !== null);
      return names;
    },
  };
}

/** More than one request searches. Their ids come after those of the clock. */
const many = 2_500;
const idOf = (number: number) => `f${String(number).padStart(8, '0')}`;

onBothDatabases('a search for organizations', (_open, kind) => {
  test('finds them by a part of the name, in any case, page by page and in their order', async (t) => {
    const { application, found } = await openWorld(t, kind);
    for (const name of ['示例科技', 'ÖSTERREICH Post', 'acme 科技 50%', 'a_c']) {
      await application.organizations.create('test', name);
    }
    assert.deepEqual(await found('operator', 'ACME'), ['Acme', 'acme 科技 50%']);
    assert.deepEqual(await found('operator', '科技'), ['示例科技', 'acme 科技 50%']);
    assert.deepEqual(await found('operator', 'österreich'), ['ÖSTERREICH Post']);
    // No wildcards.
    assert.deepEqual(await found('operator', '%'), ['acme 科技 50%']);
    assert.deepEqual(await found('operator', '_'), ['a_c']);
    assert.deepEqual(await found('operator', '没有'), []);
  });

  test('finds nothing that the list does not show', async (t) => {
    const { application, found } = await openWorld(t, kind);
    await application.organizations.create('test', 'Acme elsewhere');
    for (const caller of ['viewer', 'owner', 'key-viewer'] as const) {
      assert.deepEqual(await found(caller, 'a'), ['Acme'], caller);
      assert.deepEqual(await found(caller, 'Other'), [], caller);
    }
    for (const caller of ['foreign-owner', 'foreign-key'] as const) {
      assert.deepEqual(await found(caller, 'acme'), [], caller);
      assert.deepEqual(await found(caller, 'other'), ['Other'], caller);
    }
    assert.deepEqual(await found('key-instance', 'acme'), ['Acme', 'Acme elsewhere']);
  });

  test('looks at a bounded part at once, and its cursor goes on behind that', async (t) => {
    const { application, page, found } = await openWorld(t, kind);
    await fillTable(application.database, 'organization', many, (n) => ({
      ...{ id: idOf(n), name: n >= many - 3 ? `Last ${n}` : `Customer ${n}`, created_at: n, suspended_at: null },
    }));
    const first = await page('operator', 'last', 2, null);
    assert.deepEqual(first.items, []);
    assert.notEqual(first.next_cursor, null);
    const last = ['Last 2497', 'Last 2498', 'Last 2499'];
    assert.deepEqual(await found('operator', 'last', 2), last);
    // Command lines need all.
    const { rows, reached } = await application.organizations.search({}, 'LAST');
    assert.deepEqual(
      rows.map(({ name }) => name),
      last,
    );
    assert.equal(reached, undefined);
  });

  test('is for 1 to 200 characters', async (t) => {
    const { request, found } = await openWorld(t, kind);
    assert.deepEqual(await found('operator', '科'.repeat(200)), []);
    for (const search of ['', 'x'.repeat(201)]) {
      const { status, headers, json } = await request('operator', 'GET', `/organizations?search=${search}`);
      assert.deepEqual(
        [status, json.code, json.field],
        [400, 'invalid_parameter', 'search'],
        headers.get('error-code') ?? '',
      );
    }
  });
});
