import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Hand-outs are found by their certificate as well: what the index of the audit trail has reached already, here. */
export const certificateHandOuts: Migration = {
  id: 7,
  name: 'certificate-hand-outs',
  async up(db, dialect) {
    const certificate =
      dialect === 'sqlite' ? sql`(detail ->> 'certificate')` : sql`(cast(detail as json) ->> 'certificate')`;
    await sql`
      insert into audit_index (term, link, position)
      select term, link, position from (
        select 'c:' || ${certificate} as term, link, position from audit_entry
        where action = 'private-key.hand-out' and link <= (select link from audit_index_state where id = 1)
      ) as terms
      where term is not null
      order by term, link, position`.execute(db);
  },
};
