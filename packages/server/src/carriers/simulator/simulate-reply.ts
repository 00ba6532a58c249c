import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type SimulatorCarrier, simulatorId } from './simulator-carrier.ts';

/** Simulates a reply from a phone. The audit trail names the operator, not the phone. */
export type SimulateReply = (actor: string, reply: Parameters<SimulatorCarrier['reply']>[0]) => Promise<void>;

interface Needs {
  readonly simulator: Pick<SimulatorCarrier, 'reply'>;
  readonly audit: Pick<AuditTrail, 'append'>;
  readonly clock: Clock;
}

export function createSimulateReply({ simulator, audit, clock }: Needs): SimulateReply {
  return async (actor, reply) => {
    await simulator.reply(reply);
    const event = { organizationId: '', actor, action: 'simulator.reply', subject: simulatorId, detail: '{}' } as const;
    await audit.append([{ ...event, at: clock.now() }]);
  };
}
