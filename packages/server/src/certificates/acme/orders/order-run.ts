import { isIP } from 'node:net';
import type { Ground } from '../../../audit/ground.ts';
import type { Db } from '../../../database/database.ts';
import type {
  AcmeChallengeRow,
  AcmeOrderRow,
  AuthorityRow,
  CertificateRequestRow,
} from '../../../database/schema/acme-tables.ts';
import type { CertificateRow } from '../../../database/schema/certificate-tables.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import type { ChainNeeds } from '../../chain/judge-chain.ts';
import type { AcmeParts } from '../acme-parts.ts';
import type { AcmeAccount, AcmeClient, AcmeFailure, AcmeIdentifier } from '../protocol/acme-port.ts';
import { openAccountKey } from '../sealed-acme.ts';
import { namesOf } from './begin-order.ts';
import type { OrderState, Step, StepAnswer } from './next-step.ts';

export interface OrderNeeds extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>, Pick<ChainNeeds, 'known'> {
  readonly ring: () => KeyRing;
  readonly parts: AcmeParts;
  /** Of managed delegation; undefined: there is none. */
  readonly zone: string | undefined;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Whether this server may still write: asked in each transaction. */
  readonly holds?: (trx: Db) => Promise<boolean>;
}

/** An order with what it is about. */
export interface OrderRun {
  readonly order: AcmeOrderRow;
  readonly certificate: CertificateRow;
  readonly request: CertificateRequestRow;
  readonly authority: AuthorityRow;
  readonly client: AcmeClient;
}

/** A line of the progress. */
export interface Told {
  readonly domain?: string;
  readonly words?: string | undefined;
}

/** What acting on a step has led to. All of it is written in one transaction. */
export interface Met {
  readonly answer: StepAnswer;
  readonly columns?: Partial<AcmeOrderRow>;
  /** Columns that are made in that transaction. */
  readonly seal?: (trx: Db) => Promise<Partial<AcmeOrderRow>>;
  readonly write?: (trx: Db) => Promise<void>;
  /** Lines of the progress; by default one without words. Empty: nothing happened that anybody has to know. */
  readonly told?: readonly Told[];
  /** What a failure is about. */
  readonly domain?: string;
}

export type Act = (needs: OrderNeeds, run: OrderRun, signal: AbortSignal) => Promise<Met>;

export const done = (more: Omit<Met, 'answer'> = {}): Met => ({ answer: { kind: 'done' }, ...more });
/** Done, and not worth a line. */
export const passed = (more: Omit<Met, 'answer'> = {}): Met => done({ told: [], ...more });

export function failedBy(failure: AcmeFailure, domain?: string): Met {
  const { type, words, temporary, retryAfterMs, subproblems } = failure;
  const details = subproblems.map((each) => `${each.identifier}: ${each.words}`);
  const answer = { kind: 'failed', type, words: [words, ...details].join(' '), temporary, retryAfterMs } as const;
  return { answer, ...(domain !== undefined && { domain }) };
}

export function refusedFor(words: string, domain?: string): Met {
  const answer = { kind: 'failed', type: 'refused', words, temporary: false, retryAfterMs: null } as const;
  return { answer, ...(domain !== undefined && { domain }) };
}

export function notYet(words: string, retryAfterMs: number | null = null): Met {
  return { answer: { kind: 'notYet', words, retryAfterMs } };
}

/** @throws SealError when the key does not open */
export function accountOfAuthority({ ring }: Pick<OrderNeeds, 'ring'>, authority: AuthorityRow): AcmeAccount {
  return { url: authority.account_url ?? '', key: openAccountKey(ring(), authority) };
}

export function identifiersOf(request: Pick<CertificateRequestRow, 'domains'>): AcmeIdentifier[] {
  return namesOf(request).map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }));
}

export function isManaged({ challenge, dns_provider_id }: CertificateRequestRow): boolean {
  return challenge === 'dns-01' && dns_provider_id === null;
}

export function recordOf({ record_name, record_value }: AcmeChallengeRow) {
  return { name: record_name ?? '', value: record_value ?? '', ttl: recordSeconds };
}

const recordSeconds = 60;

export function stateOf(order: AcmeOrderRow, byDns: boolean, byHand: boolean): OrderState {
  return {
    step: order.step as Step,
    attempts: order.attempts,
    stepSince: order.step_since,
    intentAt: order.intent_at,
    failure: order.failure,
    ...{ byDns, byHand, isRenewal: order.purpose === 'renewal' },
  };
}
