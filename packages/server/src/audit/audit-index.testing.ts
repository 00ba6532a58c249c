import type { Database } from '../database/connect.ts';
import { createIndexing, type IndexShape } from './audit-indexer.ts';

/** Indexes all there is, however little. */
export async function indexAll(database: Database, shape: Partial<IndexShape> = {}): Promise<void> {
  const indexing = createIndexing(database, { enough: 1, ...shape });
  while ((await indexing.addRun()) || (await indexing.tendRuns()));
}
