import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { Db } from '../../database/database.ts';
import { requireOrganization } from '../../organizations/organization.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import type { SendMessages } from './send-messages.ts';

/**
 * Sends for an organization without a messaging key, by the same rules.
 * @param idempotencyKey the same request under it is sent once, also after a commit of unknown outcome
 * @returns the batch's id, once it is durable
 * @throws Problem `conflict` while the organization is suspended; the errors of `SendMessages.send`
 */
export type SendByHand = (
  actor: string,
  organizationId: string,
  body: object,
  idempotencyKey?: string,
) => Promise<string>;

interface Needs {
  readonly db: Db;
  readonly sends: Pick<SendMessages, 'send'>;
  readonly audit: Pick<AuditTrail, 'append'>;
  readonly clock: Clock;
}

export function createSendByHand({ db, sends, audit, clock }: Needs): SendByHand {
  return async (actor, organizationId, body, idempotencyKey) => {
    const { suspended } = await requireOrganization(db, organizationId);
    // Its tokens are refused while an organization is suspended, and so is this.
    if (suspended) {
      throw new Problem('conflict', {
        field: 'organization',
        reason: 'organization_suspended',
        detail: `Organization ${organizationId} is suspended. "organization resume" lets it send again.`,
      });
    }
    const batchId = await sends.send({ organizationId, keyId: '', body, idempotencyKey });
    const mobiles = 'mobiles' in body && Array.isArray(body.mobiles) ? body.mobiles.length : 1;
    const detail = JSON.stringify({ mobiles });
    // A message that a key sends names its key; of this one only the audit trail tells who sent it.
    await audit.append([{ organizationId, actor, action: 'message.send', subject: batchId, at: clock.now(), detail }]);
    return batchId;
  };
}
