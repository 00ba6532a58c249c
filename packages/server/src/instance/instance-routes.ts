import * as operations from '@waxwing/contract/management-api/instance-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { type Binding, bind } from '../accounts/guard.ts';
import type { Database } from '../database/connect.ts';
import { type OwnState, type ReadPushRates, readInstance, readMasterKeys } from './instance-state.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** One thing that was looked at. */
type Check = AnswerOf<typeof operations.inspectInstance>['checks'][number];

export interface InstanceRoutesNeeds {
  readonly database: Database;
  readonly own: OwnState;
  readonly readRates: ReadPushRates;
  /** What the doctor looks at where the database is open. */
  readonly inspect: () => Promise<readonly Check[]>;
}

/** The operations on the instance (contract: instance-operations). */
export function instanceRoutes({ database, own, readRates, inspect }: InstanceRoutesNeeds): readonly Binding[] {
  const inspectOnce = oneAtATime(
    { reason: 'doctor_under_way', detail: 'The doctor is at work at this node; wait for it.' },
    inspect,
  );
  return [
    bind(operations.showInstanceClientAddress, ({ address }) => ({ address })),
    bind(operations.showInstance, () => readInstance(database, own, readRates)),
    bind(operations.listMasterKeys, async ({ page }) => page.ofFew(await readMasterKeys(database), ({ id }) => id)),
    bind(operations.inspectInstance, async () => {
      const checks = await inspectOnce();
      return { ok: checks.every(({ state }) => state !== 'fail'), checks };
    }),
  ];
}
