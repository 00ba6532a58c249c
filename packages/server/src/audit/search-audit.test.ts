import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AuditSearch, type PlacedEvent, searchAudit } from './search-audit.ts';

const second = 1_000;

/** A trail with one entry in each link, or several. */
function trailOf(entries: readonly Partial<PlacedEvent>[]) {
  const all = entries
    .map((entry, index): PlacedEvent => {
      const place = { link: index + 1, position: 0 };
      const about = {
        organizationId: '',
        actor: 'a',
        action: 'thing.do',
        subject: 's',
        at: index * second,
        detail: '{}',
      };
      return { ...about, ...place, ...entry };
    })
    .reverse();
  const isBefore = (entry: PlacedEvent, { link, position }: { link: number; position: number }) =>
    entry.link < link || (entry.link === link && entry.position < position);
  let looked = 0;
  return {
    all,
    looked: () => looked,
    search: (search: AuditSearch) =>
      searchAudit(
        {
          async list({ organizationId, subject, before, limit }) {
            const found = all
              .filter((entry) => organizationId === undefined || entry.organizationId === organizationId)
              .filter((entry) => subject === undefined || entry.subject === subject)
              .filter((entry) => before === undefined || isBefore(entry, before))
              .slice(0, limit);
            looked += found.length;
            return found;
          },
          linkAt: async (link) => all.find((entry) => entry.link === link)?.at,
          links: async () => ({ first: all.at(-1)?.link ?? 1, last: all[0]?.link ?? 0 }),
        },
        search,
      ),
  };
}

type Trail = ReturnType<typeof trailOf>;

/** All pages, as the list of the management API goes from one to the next. */
async function allPages(trail: Trail, { limit, ...search }: AuditSearch): Promise<PlacedEvent[]> {
  const found: PlacedEvent[] = [];
  let { before } = search;
  for (let page = 0; page < 10_000; page += 1) {
    const { rows, reached } = await trail.search({ ...search, before, limit: limit + 1 });
    found.push(...rows.slice(0, limit));
    const last = rows.length > limit ? rows[limit - 1] : reached;
    if (last === undefined) return found;
    before = { link: last.link, position: last.position };
  }
  throw new Error('it comes to no end');
}

test('page by page a search finds what a plain one finds', async () => {
  const letter = (...letters: string[]) => fc.constantFrom(...letters);
  const anEntry = fc.record({
    organizationId: letter('', 'o'),
    actor: letter('a', 'b'),
    action: letter('thing.do', 'thing.undo', 'other.do'),
    subject: letter('s', 't'),
  });
  const aTime = fc.integer({ min: -50, max: 400 }).map((seconds) => seconds * second);
  const aSearch = fc.record(
    {
      organizationId: letter('o', 'p'),
      subject: letter('s', 't', 'u'),
      actor: letter('a', 'b', 'c'),
      action: letter('thing.do', 'thing.', 'none'),
      since: aTime,
      until: aTime,
      limit: fc.integer({ min: 1, max: 30 }),
    },
    { requiredKeys: ['limit'] },
  );
  const isRight = async (entries: Partial<PlacedEvent>[], skews: number[], search: AuditSearch) => {
    // Clocks that differ by less than the minute that is allowed for.
    const trail = trailOf(
      entries.map((entry, index) => ({ ...entry, at: index * second + (skews[index % skews.length] as number) })),
    );
    const { organizationId, subject, actor, action, since = -1e9, until = 1e9 } = search;
    const wanted = trail.all.filter(
      (entry) =>
        (organizationId === undefined || entry.organizationId === organizationId) &&
        (subject === undefined || entry.subject === subject) &&
        (actor === undefined || entry.actor === actor) &&
        (action === undefined || (action.endsWith('.') ? entry.action.startsWith(action) : entry.action === action)) &&
        entry.at >= since &&
        entry.at <= until,
    );
    assert.deepEqual(await allPages(trail, search), wanted);
  };
  const skews = fc.array(fc.integer({ min: -29 * second, max: 29 * second }), { minLength: 1, maxLength: 5 });
  await fc.assert(fc.asyncProperty(fc.array(anEntry, { maxLength: 400, size: 'max' }), skews, aSearch, isRight), {
    numRuns: 300,
  });
});

test("an organization finds what concerns a person behind hundreds of that person's own sessions", async () => {
  const session = { action: 'session.create' };
  const change = { organizationId: 'o', action: 'member.update' };
  const sessions = (count: number) => Array.from({ length: count }, () => session);
  const trail = trailOf([...sessions(700), change, ...sessions(3), change, ...sessions(700)]);
  const found = await allPages(trail, { organizationId: 'o', subject: 's', limit: 20 });
  assert.deepEqual(
    found.map(({ link }) => link),
    [705, 701],
  );
});

test('of what concerns others an organization is told nothing, however much it is, and it is looked at in part', async () => {
  const trail = trailOf(Array.from({ length: 30_000 }, () => ({ organizationId: 'other' })));
  assert.deepEqual(await trail.search({ organizationId: 'o', subject: 's', limit: 20 }), { rows: [] });
  assert.ok(trail.looked() < 10_000, `${trail.looked()} entries were looked at`);
});
