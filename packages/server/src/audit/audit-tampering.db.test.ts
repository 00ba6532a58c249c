import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { type Database, isUniqueViolation } from '../database/database.ts';
import { onBothDatabases } from '../database/testing.ts';
import { type AuditTrail, type AuditVerdict, createAuditTrail } from './audit-trail.ts';
import { assertFaultsTold } from './audit-verdict.testing.ts';

/** Whoever can write the database but does not have the key: everything such a person may do must show. */

const scale = { seed: 20_260_204, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 1_000 : 60 };
const key = randomBytes(32);
const dayMs = 86_400_000;
const noon = Date.UTC(2026, 0, 10, 12);
const tables = ['audit_head', 'audit_link', 'audit_entry', 'audit_segment'] as const;

/** Links 1 and 2 on a day that was removed, 3 to 5 on a closed day, 6 to 8 on the open one; 5 and 8 hold three entries. */
async function recordThreeDays(database: Database, trail: AuditTrail): Promise<void> {
  for (let link = 1; link <= 8; link += 1) {
    const at = noon + (link <= 2 ? 0 : link <= 5 ? dayMs : 2 * dayMs) + link;
    const count = link === 5 || link === 8 ? 3 : 1;
    const events = Array.from({ length: count }, (_, n) => {
      return {
        organizationId: 'o',
        actor: 'cli',
        action: 'push.resend' as const,
        subject: `s${link}.${n}`,
        at,
        detail: `{"n":${n}}`,
      };
    });
    await database.transaction((trx) => trail.record(trx, events));
  }
  await trail.closeDays(noon + 2 * dayMs);
  await trail.prune(noon + dayMs, noon + 2 * dayMs);
}

async function copyTables({ db }: Database) {
  const [heads, links, entries, segments] = await Promise.all([
    db.selectFrom('audit_head').selectAll().execute(),
    db.selectFrom('audit_link').selectAll().orderBy('link').execute(),
    db.selectFrom('audit_entry').selectAll().orderBy('link').orderBy('position').execute(),
    db.selectFrom('audit_segment').selectAll().orderBy('day').execute(),
  ]);
  return { heads, links, entries, segments };
}

type Copy = Awaited<ReturnType<typeof copyTables>>;

async function restore(database: Database, copy: Copy): Promise<void> {
  await database.transaction(async (trx) => {
    for (const table of tables) await trx.deleteFrom(table).execute();
    await trx.insertInto('audit_head').values(copy.heads).execute();
    await trx.insertInto('audit_link').values(copy.links).execute();
    await trx.insertInto('audit_entry').values(copy.entries).execute();
    await trx.insertInto('audit_segment').values(copy.segments).execute();
  });
}

interface Tampering {
  readonly name: string;
  readonly statements: readonly RawBuilder<unknown>[];
  /** The link that must be named, and the code and the words for it. */
  readonly link: number;
  readonly fault: RegExp;
}

const changed = /^link_changed: an entry, its order or the link before it was changed/;
const removed = /^chain_cut_off: the chain ends at link \d, but its head is \d: it was cut off/;
const summaryChanged = /^summary_changed: the summary of .* was changed/;

const entryChanges: readonly [column: string, value: string | number][] = [
  ['organization_id', 'p'],
  ['at', 1],
  ['actor', 'system'],
  ['action', 'undo'],
  ['subject', 's'],
  ['detail', '{}'],
  ['position', 1],
];
const summaryChanges: readonly [column: string, value: string | number][] = [
  ['day', '2026-01-09'],
  ['first_link', 4],
  ['last_link', 4],
  ['entries', 9],
  ['former_mac', 'ab'],
  ['mac', 'ab'],
  ['seal', 'ab'],
  ['closed_at', 1],
];

const tamperings: readonly Tampering[] = [
  ...entryChanges.map(([column, value]) => ({
    name: `the ${column} of an entry changed`,
    statements: [sql`update audit_entry set ${sql.ref(column)} = ${value} where link = 4`],
    link: 4,
    fault: changed,
  })),
  {
    name: 'an entry moved to another link',
    statements: [sql`update audit_entry set link = 7, position = 1 where link = 6`],
    link: 6,
    fault: /^entries_miscounted: has 0 entries instead of 1/,
  },
  {
    name: 'the first entry of a link deleted',
    statements: [sql`delete from audit_entry where link = 5 and position = 0`],
    link: 5,
    fault: /^entries_miscounted: has 2 entries instead of 3/,
  },
  {
    name: 'an entry deleted, and its link made to count one less',
    statements: [
      sql`delete from audit_entry where link = 5 and position = 2`,
      sql`update audit_link set entries = 2 where link = 5`,
    ],
    link: 5,
    fault: changed,
  },
  {
    name: 'two entries of a link exchanged',
    statements: [
      sql`update audit_entry set position = 9 where link = 5 and position = 0`,
      sql`update audit_entry set position = 0 where link = 5 and position = 1`,
      sql`update audit_entry set position = 1 where link = 5 and position = 9`,
    ],
    link: 5,
    fault: changed,
  },
  {
    name: 'two entries of neighbouring links exchanged',
    statements: [
      sql`update audit_entry set link = 99 where link = 6`,
      sql`update audit_entry set link = 6 where link = 7`,
      sql`update audit_entry set link = 7 where link = 99`,
    ],
    link: 7,
    fault: changed,
  },
  {
    name: 'an entry inserted',
    statements: [sql`insert into audit_entry values (7, 1, 'o', 1, 'cli', 'do', 's', '{}')`],
    link: 7,
    fault: /^entries_miscounted: has 2 entries instead of 1/,
  },
  {
    name: 'an entry inserted before the first link',
    statements: [sql`insert into audit_entry values (0, 0, 'o', 1, 'cli', 'do', 's', '{}')`],
    link: 0,
    fault: /^rows_without_link: rows stand where the chain has no link/,
  },
  {
    name: 'an entry inserted after the head',
    statements: [sql`insert into audit_entry values (9, 0, 'o', 1, 'cli', 'do', 's', '{}')`],
    link: 9,
    fault: /^rows_without_link: rows stand where the chain has no link/,
  },
  {
    name: 'a link appended without the key',
    statements: [
      sql`insert into audit_link select 9, day, at, 0, mac from audit_link where link = 8`,
      sql`update audit_head set link = 9`,
    ],
    link: 9,
    fault: changed,
  },
  ...(['day', 'at', 'mac'] as const).map((column) => ({
    name: `the ${column} of a link changed`,
    statements: [sql`update audit_link set ${sql.ref(column)} = ${column === 'at' ? 1 : 'ab'} where link = 4`],
    link: 4,
    fault: changed,
  })),
  {
    name: 'the count of a link changed',
    statements: [sql`update audit_link set entries = 2 where link = 4`],
    link: 4,
    fault: /^entries_miscounted: has 1 entries instead of 2/,
  },
  {
    name: 'a link renumbered with its entries',
    statements: [
      sql`update audit_link set link = 9 where link = 7`,
      sql`update audit_entry set link = 9 where link = 7`,
    ],
    link: 7,
    fault: /^links_missing: links 7 to 7 are missing/,
  },
  {
    name: 'a link deleted',
    statements: [sql`delete from audit_link where link = 7`],
    link: 7,
    fault: /^links_missing: links 7 to 7 are missing/,
  },
  {
    name: 'a link deleted with its entries',
    statements: [sql`delete from audit_link where link = 7`, sql`delete from audit_entry where link = 7`],
    link: 8,
    fault: changed,
  },
  {
    name: 'the oldest link that is kept deleted with its entries',
    statements: [sql`delete from audit_link where link = 3`, sql`delete from audit_entry where link = 3`],
    link: 3,
    fault: /^links_missing: links 3 to 3 are missing/,
  },
  {
    name: 'the tail cut off',
    statements: [sql`delete from audit_link where link > 6`, sql`delete from audit_entry where link > 6`],
    link: 8,
    fault: removed,
  },
  {
    name: 'the whole open day cut off, and the head set back',
    statements: [
      sql`delete from audit_link where link > 4`,
      sql`delete from audit_entry where link > 4`,
      sql`update audit_head set link = 4, mac = (select mac from audit_link where link = 4)`,
    ],
    link: 5,
    fault: /^summary_of_other_links: the links of 2026-01-11 do not end in its summary/,
  },
  {
    name: 'the head set back',
    statements: [sql`update audit_head set link = 7, mac = (select mac from audit_link where link = 7)`],
    link: 8,
    fault: /^rows_without_link: rows stand where the chain has no link/,
  },
  { name: 'the head set on', statements: [sql`update audit_head set link = 9`], link: 9, fault: removed },
  {
    name: 'the code of the head changed',
    statements: [sql`update audit_head set mac = 'ab'`],
    link: 8,
    fault: /^head_of_another_link: the head does not fit the last link/,
  },
  {
    name: 'the day of the head changed, so that no day would ever be closed again',
    statements: [sql`update audit_head set day = '9999-01-01'`],
    link: 8,
    fault: /^head_of_another_day: the day of the head is not the one that the chain has reached/,
  },
  {
    name: 'the head removed',
    statements: [sql`delete from audit_head`],
    link: 2,
    fault: /^head_removed: the head of the chain was removed/,
  },
  ...summaryChanges.map(([column, value]) => ({
    name: `the ${column} of a summary changed`,
    statements: [sql`update audit_segment set ${sql.ref(column)} = ${value} where day = '2026-01-11'`],
    link: column === 'last_link' ? 4 : 5,
    fault: summaryChanged,
  })),
  {
    name: 'a day deleted and passed off as removed by retention',
    statements: [
      sql`delete from audit_link where link between 3 and 5`,
      sql`delete from audit_entry where link between 3 and 5`,
      sql`update audit_segment set pruned_at = closed_at where day = '2026-01-11'`,
    ],
    link: 5,
    fault: summaryChanged,
  },
  {
    name: 'the day that retention removed passed off as kept',
    statements: [sql`update audit_segment set pruned_at = null`],
    link: 1,
    fault: /^links_missing: links 1 to 2 are missing/,
  },
  {
    name: 'a summary forged for the open day, so that it could be removed',
    statements: [
      sql`insert into audit_segment
        select '2026-01-12', 6, 8, 5, former_mac, mac, seal, closed_at, closed_at from audit_segment where day = '2026-01-11'`,
    ],
    link: 8,
    fault: summaryChanged,
  },
  {
    name: 'the summary of a removed day removed',
    statements: [sql`delete from audit_segment where day = '2026-01-10'`],
    link: 1,
    fault: /^summary_missing: the summary before 2026-01-11 is missing/,
  },
  {
    name: 'all summaries removed',
    statements: [sql`delete from audit_segment`],
    link: 1,
    fault: /^links_missing: links 1 to 2 are missing/,
  },
];

function assertNamed(verdict: AuditVerdict, { link, fault }: Tampering): void {
  const named = verdict.faults.some((each) => each.link === link && fault.test(`${each.code}: ${each.reason}`));
  assert.ok(named, JSON.stringify(verdict.faults));
  assertFaultsTold(verdict);
}

const notPassed = {
  link: 8,
  code: 'expected_head_not_passed',
  reason: 'the chain does not pass through the expected head',
  parameters: {},
};

onBothDatabases('the audit trail against whoever can write the database', (open) => {
  async function prepare(t: TestContext) {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    await recordThreeDays(database, trail);
    const sound = await trail.verify();
    assert.deepEqual([sound.faults, sound.links, sound.prunedDays], [[], 6, 1]);
    return { database, trail, head: sound.head, copy: await copyTables(database) };
  }

  test('every kind of tampering is found, and the link is named', async (t) => {
    const { database, trail, copy } = await prepare(t);
    for (const tampering of tamperings) {
      await t.test(tampering.name, async () => {
        for (const statement of tampering.statements) await statement.execute(database.db);
        assertNamed(await trail.verify(), tampering);
        await restore(database, copy);
        assert.deepEqual((await trail.verify()).faults, []);
      });
    }
  });

  test('a tail cut off with the head set back shows only against a head noted elsewhere', async (t) => {
    const { database, trail, head } = await prepare(t);
    await sql`delete from audit_link where link > 6`.execute(database.db);
    await sql`delete from audit_entry where link > 6`.execute(database.db);
    await sql`update audit_head set link = 6, mac = (select mac from audit_link where link = 6)`.execute(database.db);
    const verdict = await trail.verify();
    assert.deepEqual(verdict.faults, []);
    assert.equal(verdict.head.link, 6);
    const against = await trail.verify(head);
    assert.deepEqual(against.faults, [notPassed]);
    assert.deepEqual((await trail.verify(verdict.head)).faults, []);
  });

  test('another history under the same numbers shows against a head noted elsewhere', async (t) => {
    const { database, trail, head } = await prepare(t);
    const event = {
      organizationId: 'o',
      actor: 'cli',
      action: 'push.resend',
      subject: 's',
      at: noon + 2 * dayMs,
      detail: '{}',
    } as const;
    await database.transaction((trx) => trail.record(trx, [event]));
    assert.deepEqual((await trail.verify(head)).faults, []);
    const { mac } = await trail.verify().then((verdict) => verdict.head);
    const other = await trail.verify({ link: head.link, mac });
    assert.deepEqual(other.faults, [notPassed]);
    const withoutMac = await trail.verify({ link: 5, mac: '' });
    assert.equal(withoutMac.faults[0]?.code, 'expected_head_not_passed');
  });

  test('the newest summary removed loses nothing: its links are checked all the same, and it is made again', async (t) => {
    const { database, trail, copy } = await prepare(t);
    await sql`delete from audit_segment where day = '2026-01-11'`.execute(database.db);
    assert.deepEqual((await trail.verify()).faults, []);
    const [again] = await trail.closeDays(noon + 2 * dayMs);
    const former = copy.segments.find((row) => row.day === '2026-01-11');
    assert.deepEqual([again?.firstLink, again?.lastLink, again?.mac], [3, 5, former?.mac]);
    assert.deepEqual(await copyTables(database), copy);
  });

  test('whatever single value is changed or row removed, it is found', async (t) => {
    const { database, trail, copy } = await prepare(t);
    const rows = [
      ...copy.heads.map((row) => ({ table: 'audit_head', key: { id: row.id }, row })),
      ...copy.links.map((row) => ({ table: 'audit_link', key: { link: row.link }, row })),
      ...copy.entries.map((row) => ({ table: 'audit_entry', key: { subject: row.subject }, row })),
      ...copy.segments.map((row) => ({ table: 'audit_segment', key: { day: row.day }, row })),
    ] as const;
    const text = fc.string({ maxLength: 70 }).filter((value) => !value.includes('\0'));
    const mutations = fc.record({
      target: fc.constantFrom(...rows),
      column: fc.nat(),
      number: fc.oneof(fc.integer({ min: -3, max: 12 }), fc.integer()),
      text: fc.oneof(text, fc.constantFrom(...copy.links.map((row) => row.mac), '2026-01-10', '2026-01-12', '')),
      remove: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    });
    await fc.assert(
      fc.asyncProperty(mutations, async ({ target, column, number, text, remove }) => {
        const columns = Object.entries(target.row);
        const [name, former] = columns[column % columns.length] ?? ['', null];
        const value = typeof former === 'string' ? text : number;
        fc.pre(value !== former && (!remove || target.row !== copy.segments.at(-1)));
        const [[keyName, keyValue] = ['', '']] = Object.entries<string | number>(target.key);
        const statement = remove
          ? sql`delete from ${sql.table(target.table)} where ${sql.ref(keyName)} = ${keyValue}`
          : sql`update ${sql.table(target.table)} set ${sql.ref(name)} = ${value} where ${sql.ref(keyName)} = ${keyValue}`;
        try {
          await statement.execute(database.db);
        } catch (error) {
          fc.pre(!isUniqueViolation(error));
          throw error;
        }
        const verdict = await trail.verify();
        await restore(database, copy);
        assert.notDeepEqual(verdict.faults, []);
        assertFaultsTold(verdict);
      }),
      scale,
    );
  });
});
