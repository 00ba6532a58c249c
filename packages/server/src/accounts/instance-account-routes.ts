import * as operations from '@waxwing/contract/management-api/operations/instance-account-operations.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import type { Db } from '../database/database.ts';
import type { AccountRow } from '../database/schema/account-tables.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { Operators } from './operator.ts';
import type { OneTimeLink } from './sign-in/one-time-link.ts';
import { emailKey, isOperator, type Operator, toOperator } from './store/account.ts';
import { findAccount, listAccounts } from './store/account-store.ts';

export interface InstanceAccountRoutesNeeds {
  readonly db: Db;
  readonly operators: Pick<Operators, 'create' | 'reset' | 'setDisabled'>;
}

/** The people of the instance (contract: instance-account-operations). */
export function instanceAccountRoutes({ db, operators }: InstanceAccountRoutesNeeds): readonly Binding[] {
  const find = async (id: string): Promise<AccountRow> => (await findAccount(db, id)) ?? absent();
  const show = async (id: string) => toShown(await find(id));
  const withLink = async ({ operator, link }: { operator: Operator; link: OneTimeLink }) => ({
    ...(await show(operator.id)),
    link: link.url.reveal(),
    expires_at: toRfc3339(link.expiresAt),
  });

  return [
    bind(operations.listAccounts, async ({ query, page }) => {
      const { email, operator } = query;
      const filter = { ...(email !== undefined && { email: emailKey(email) }), operator };
      const rows = await listAccounts(db, filter, page);
      return page.of(rows.map(toShown), ({ id }) => id);
    }),

    bind(operations.showAccount, ({ params }) => show(params.account_id)),

    bind(operations.createOperator, async ({ by, body }) => withLink(await operators.create(by, body.email))),

    bind(operations.resetAccount, async ({ by, params }) => {
      const { email } = await find(params.account_id);
      return withLink(await operators.reset(by, email));
    }),

    bind(operations.disableAccount, async ({ actor, by, params }) => {
      const { id, email } = await find(params.account_id);
      if (actor.kind === 'account' && actor.accountId === id) {
        throw new Problem('conflict', {
          reason: 'own_account',
          detail: 'Nobody disables themselves: somebody else must.',
        });
      }
      await operators.setDisabled(by, email, true);
      return show(id);
    }),

    bind(operations.enableAccount, async ({ by, params }) => {
      const { id, email } = await find(params.account_id);
      await operators.setDisabled(by, email, false);
      return show(id);
    }),
  ];
}

function toShown(row: AccountRow) {
  const { id, email, active, disabled, created_at } = toOperator(row);
  // As the list's filter has it, also where no identity provider is configured: what it gave counts again with it.
  return { id, email, operator: isOperator(row, true), active, disabled, created_at };
}

function absent(): never {
  throw new Problem('not_found');
}
