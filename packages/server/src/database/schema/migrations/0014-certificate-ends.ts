import type { Migration } from '../migration.ts';

/** Holds all that counting by end asks of a version: a row itself is some kilobytes long, with the end behind chain and key. */
export const certificateEnds: Migration = {
  id: 14,
  name: 'certificate-ends',
  async up(db) {
    await db.schema
      .createIndex('certificate_version_end')
      .on('certificate_version')
      .columns(['certificate_id', 'id', 'organization_id', 'state', 'not_after'])
      .execute();
  },
};
