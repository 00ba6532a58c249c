import { type Allowance, takeFromRate } from './quota.ts';

/** The per-second quotas of organizations on this node. Bounded: whoever sent nothing for longest is forgotten. */
export interface SendRate {
  /**
   * @param perSecond undefined: without limit, nothing is remembered
   * @param now milliseconds that never run backwards
   * @returns undefined when the messages may go, else the whole seconds after which to come again
   */
  take(organizationId: string, perSecond: number | undefined, messages: number, now: number): number | undefined;
}

const maxOrganizations = 100_000;

export function createSendRate(): SendRate {
  // A Map keeps the order of insertion: the first entry is the one not used for longest.
  const allowances = new Map<string, Allowance>();
  return {
    take(organizationId, perSecond, messages, now) {
      if (perSecond === undefined) return undefined;
      const decision = takeFromRate(allowances.get(organizationId), perSecond, messages, now);
      if (!decision.allowed) return decision.retryAfterSeconds;
      allowances.delete(organizationId);
      allowances.set(organizationId, decision.allowance);
      const [oldest] = allowances.keys();
      if (allowances.size > maxOrganizations && oldest !== undefined) allowances.delete(oldest);
      return undefined;
    },
  };
}
