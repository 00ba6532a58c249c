import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../runtime/clock.ts';
import type { AuditTrail } from './audit-trail.ts';

/**
 * The services that every domain uses, built once in the composition root and handed on whole. Each part names the
 * members that it uses.
 */
export interface Ground {
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  /** Waits, or ends early when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}
