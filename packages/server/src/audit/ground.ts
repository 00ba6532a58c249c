import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../runtime/clock.ts';
import type { AuditTrail } from './audit-trail.ts';

/** What every domain stands on: built once in the composition root, and handed on whole. Each part names what it uses. */
export interface Ground {
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  /** Waits, or ends early when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}
