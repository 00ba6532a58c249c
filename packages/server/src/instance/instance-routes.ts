import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import * as operations from '@waxwing/contract/management-api/operations/instance-operations.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import type { Database } from '../database/database.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { Verification } from './audit-routes.ts';
import { type OwnState, type ReadPushRates, readInstance, readMasterKeys } from './instance-state.ts';
import type { LongWork, WorkUnderWay } from './long-work.ts';

type Check = AnswerOf<typeof operations.inspectInstance>['checks'][number];

type Inspection = LongWork<undefined, readonly Check[]>;

interface InstanceRoutesNeeds {
  readonly database: Database;
  readonly own: OwnState;
  readonly readRates: ReadPushRates;
  /** The doctor's checks of the open database. */
  readonly inspection: Inspection;
  readonly verification: Pick<Verification, 'underWay'>;
}

export function instanceRoutes({
  database,
  own,
  readRates,
  inspection,
  verification,
}: InstanceRoutesNeeds): readonly Binding[] {
  return [
    bind(operations.showInstanceClientAddress, ({ address }) => ({ address })),
    bind(operations.showInstance, () => readInstance(database, own, readRates)),
    bind(operations.listMasterKeys, async ({ page }) => page.ofFew(await readMasterKeys(database), ({ id }) => id)),
    bind(operations.inspectInstance, async () => {
      const checks = await inspection.run(undefined);
      return { ok: checks.every(({ state }) => state !== 'fail'), checks };
    }),
    bind(operations.showInstanceWork, () => ({
      inspection: toShown(inspection.underWay()),
      audit_verification: toShown(verification.underWay()),
    })),
  ];
}

function toShown(work: WorkUnderWay | undefined): operations.WorkUnderWay | null {
  return work === undefined ? null : { started_at: toRfc3339(work.startedAt), done: work.done, total: work.total };
}
