import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/messaging-list-operations.ts';
import type { Ground } from '../../audit/ground.ts';
import type { OptOutRow } from '../../database/schema/message-tables.ts';
import { requireOrganization } from '../../organizations/organization.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { addOptOut, listOptOuts, type NumberPart, removeOptOut } from './blocked-list-store.ts';
import { checkNumber, checkPart } from './checked-number.ts';

/** A number that has opted out of an organization's messages. */
export type OptOut = Shown<contract.OptOut>;

export interface OptOuts {
  /** @param number E.164 with `+`, or national with the organization's default region */
  add(actor: string, organizationId: string, number: string): Promise<OptOut>;
  /** By number. @param part its `number` written as in `add` */
  list(organizationId: string, part: NumberPart): Promise<OptOut[]>;
  remove(actor: string, organizationId: string, number: string): Promise<{ number: string }>;
}

type Needs = Pick<Ground, 'database' | 'audit' | 'clock'>;

/** The audit trail holds no phone numbers: it tells that a list changed, and who changed it. */
export function createOptOuts({ database, audit, clock }: Needs): OptOuts {
  const event = (actor: string, action: AuditAction, organizationId: string) => ({
    organizationId,
    actor,
    action,
    subject: organizationId,
    at: clock.now(),
    detail: '{}',
  });

  return {
    async add(actor, organizationId, number) {
      await requireOrganization(database.db, organizationId);
      const checked = await checkNumber(database.db, organizationId, number);
      const row: OptOutRow = {
        organization_id: organizationId,
        number: checked,
        source: 'manual',
        created_at: clock.now(),
      };
      await database.transaction(async (trx) => {
        if (await addOptOut(trx, row)) await audit.record(trx, [event(actor, 'opt-out.add', organizationId)]);
      });
      return toOptOut(row);
    },

    async list(organizationId, part) {
      await requireOrganization(database.db, organizationId);
      const checked = await checkPart(database.db, organizationId, part);
      return (await listOptOuts(database.db, organizationId, checked)).map(toOptOut);
    },

    async remove(actor, organizationId, number) {
      await requireOrganization(database.db, organizationId);
      const checked = await checkNumber(database.db, organizationId, number);
      await database.transaction(async (trx) => {
        if (!(await removeOptOut(trx, organizationId, checked))) {
          throw new Problem('not_found', { field: 'number', detail: 'This number has not opted out.' });
        }
        await audit.record(trx, [event(actor, 'opt-out.remove', organizationId)]);
      });
      return { number: checked };
    },
  };
}

function toOptOut({ number, source, created_at }: OptOutRow): OptOut {
  return { number, source, created_at: toRfc3339(created_at) };
}
