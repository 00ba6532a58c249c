/** The connections of one carrier, and which of them takes the next submit. */
import { Link, type LinkStatus } from '@waxwing/carrier-session/link.ts';
import type { SessionEvents } from '@waxwing/carrier-session/session-options.ts';
import type { SessionPdu } from '@waxwing/carrier-session/session-protocol.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { CarrierDialect, ConnectionRole } from './carrier-dialect.ts';
import type { LinkPlan } from './link-plan.ts';

export interface LinkGroupNeeds<P extends SessionPdu> {
  readonly plan: LinkPlan;
  readonly dialect: CarrierDialect<P>;
  readonly events: SessionEvents<P>;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

export interface ConnectionState {
  readonly state: 'connecting' | 'bound' | 'refused';
  /** Epoch milliseconds. */
  readonly since: number;
  readonly windowUsed: number;
  readonly lastError: string | undefined;
}

export interface LinkGroup<P extends SessionPdu> {
  /** Submits without an answer at once, on all connections that are bound. */
  readonly window: number;
  /** Since when no connection takes submits, epoch milliseconds. Undefined: one does. */
  readonly downSince: number | undefined;
  states(): readonly ConnectionState[];
  /** The bound connection with the most room. */
  roomiest(): Link<P> | undefined;
  /** Keeps all connections until the signal is aborted, then drains them. */
  run(signal: AbortSignal): Promise<void>;
}

/** For connections that are closed while submits are under way. */
const drainLimitMs = 2_000;

interface Connection<P extends SessionPdu> {
  readonly link: Link<P>;
  readonly submits: boolean;
}

export function createLinkGroup<P extends SessionPdu>(needs: LinkGroupNeeds<P>): LinkGroup<P> {
  const { plan, clock } = needs;
  const { connection_count: count, bind } = plan.settings;
  const roles: readonly ConnectionRole[] = bind === 'pair' ? ['transmitter', 'receiver'] : ['both'];
  const connections = Array.from({ length: count }, () => roles)
    .flat()
    .map((role): Connection<P> => ({ link: createLink(role, needs), submits: role !== 'receiver' }));
  const submitting = connections.filter(({ submits }) => submits).map(({ link }) => link);
  // One offset for all times: the same moment must not be told in two ways, as that would look like a change.
  const offset = clock.now() - clock.monotonic();
  const toEpoch = (monotonic: number) => Math.round(offset + monotonic);
  const bound = () => submitting.filter(({ session }) => session !== undefined);
  return {
    get window() {
      return bound().length * plan.limits.window;
    },
    get downSince() {
      if (bound().length > 0) return undefined;
      return toEpoch(Math.max(...submitting.map(({ downSince }) => downSince ?? clock.monotonic())));
    },
    states: () =>
      connections.map(({ link: { status, session } }) => ({
        state: stateOf(status),
        since: toEpoch(status.since),
        windowUsed: session?.windowUsed ?? 0,
        lastError: status.lastError,
      })),
    roomiest: () =>
      bound().reduce<Link<P> | undefined>((best, link) => (usedBy(link) < usedBy(best) ? link : best), undefined),
    async run(signal) {
      await Promise.all(connections.map(({ link }) => link.run(signal)));
    },
  };
}

function usedBy<P extends SessionPdu>(link: Link<P> | undefined): number {
  return link?.session?.windowUsed ?? Number.POSITIVE_INFINITY;
}

function createLink<P extends SessionPdu>(role: ConnectionRole, needs: LinkGroupNeeds<P>): Link<P> {
  const { plan, dialect, events, clock, random } = needs;
  return new Link<P>({
    protocol: dialect.protocol,
    clock: { now: () => clock.monotonic() },
    limits: plan.limits,
    events,
    target: plan.target,
    connectTimeoutMs: plan.limits.responseTimeoutMs,
    drainLimitMs,
    bindRequest: (sequence) => dialect.bindRequest(role, sequence, clock.now()),
    judgeBind: (response) => dialect.judgeBind(response),
    random,
  });
}

/** Between two attempts a connection is connecting, too. */
function stateOf({ state }: LinkStatus): ConnectionState['state'] {
  return state === 'bound' || state === 'refused' ? state : 'connecting';
}
