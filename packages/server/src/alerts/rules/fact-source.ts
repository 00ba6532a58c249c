import type { AlertType } from '@waxwing/contract/management-api/alert-notices.ts';

/** Facts that other domains tell of themselves. Times are epoch milliseconds. An id is unique in its kind of fact. */
export type Fact =
  | CertificateFact
  | IssuingFact
  | OutdatedFact
  | RolloutFact
  | PushFact
  | CarrierFact
  | DiskFact
  | BackupFact
  | ClockFact
  | ServerFact;

interface OfOrganization {
  readonly organizationId: string;
  readonly id: string;
}

/** The current version of a certificate that is handed out. */
export interface CertificateFact extends OfOrganization {
  readonly kind: 'certificate';
  readonly name: string;
  readonly notAfter: number;
  /** How many enabled deployments may fetch it. */
  readonly deployments: number;
  /** The whole lifetime of a version that is renewed by an authority; null: somebody has to import the next one. */
  readonly renewedLifetimeMs: number | null;
}

/** A certificate whose orders fail. */
export interface IssuingFact extends OfOrganization {
  readonly kind: 'issuing';
  readonly name: string;
  /** When its current version ends; null: none was ever issued. */
  readonly notAfter: number | null;
  /** Orders in a row that failed. */
  readonly attempts: number;
  /** How many authorities are asked in turn. */
  readonly authorities: number;
  /** The authority's own words, or ours where it was not reached. */
  readonly words: string;
}

/** A deployment that has not fetched the current version of its certificate. */
export interface OutdatedFact extends OfOrganization {
  readonly kind: 'outdated';
  readonly name: string;
  readonly certificate: string;
  readonly since: number;
}

/** A certificate whose current version has reached all enabled deployments. `id` is that of the certificate. */
export interface RolloutFact extends OfOrganization {
  readonly kind: 'rollout';
  readonly name: string;
  readonly version: string;
  readonly number: number;
  readonly deployments: number;
  readonly completedAt: number;
}

/** A push setting that is switched on, by the minutes in which attempts ended. */
export interface PushFact extends OfOrganization {
  readonly kind: 'push';
  readonly pushes: 'status' | 'uplink';
  readonly host: string;
  /** The last minute with a delivery; null: none is known. */
  readonly deliveredAt: number | null;
  /** The first minute after that with attempts, and the last one. */
  readonly failedFrom: number | null;
  readonly failedUntil: number | null;
  readonly isWaiting: boolean;
  /** When the setting was last changed. */
  readonly changedAt: number;
}

/** An enabled carrier that takes no submits. */
export interface CarrierFact {
  readonly kind: 'carrier';
  readonly id: string;
  readonly name: string;
  readonly since: number;
  /** Whether the carrier refuses the bind. */
  readonly isRefused: boolean;
  /** The latest error of its connections. */
  readonly words: string | undefined;
}

interface OfServer {
  /** A name that a server keeps. */
  readonly server: string;
  /** The name of the machine. */
  readonly host: string;
}

/** The disk with the data folder of a server. */
export interface DiskFact extends OfServer {
  readonly kind: 'disk';
  readonly freeBytes: number;
  readonly bytes: number;
}

export interface BackupFact {
  readonly kind: 'backup';
  /** When the last one was made, null: none was; and since when there is something to copy. */
  readonly lastAt: number | null;
  readonly beganAt: number;
}

/** How far the clock of a server is ahead of the database's. */
export interface ClockFact extends OfServer {
  readonly kind: 'clock';
  readonly aheadMs: number;
}

/** A server that runs, and decides this by itself. */
export interface ServerFact {
  readonly kind: 'server';
  readonly server: string;
  readonly decides: 'instance.disk' | 'instance.clock';
}

/** A source of facts that a domain hands in, joined in the composition root. */
export interface FactSource {
  /** The types that its facts decide. */
  readonly decides: readonly AlertType[];
  /** The server that they are about, where each server reads its own. */
  readonly ofServer?: string;
  /**
   * All that there are: what is not among them is over. Undefined: not known yet.
   * @param eventsSince events before that are no news to anybody; undefined: none is
   */
  read(now: number, eventsSince: number | undefined): Promise<readonly Fact[] | undefined>;
}
