import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Database } from '../database/connect.ts';
import { isUniqueViolation } from '../database/database-errors.ts';
import { type Clock, newId, toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { countOperators, insertOperator } from './account-store.ts';
import { isPlainText } from './organization.ts';

/** A person who runs the instance. */
export interface Operator {
  readonly id: string;
  readonly email: string;
  readonly created_at: string;
}

export interface Operators {
  create(actor: string, email: string): Promise<Operator>;
  /** Whether anybody runs this instance yet. */
  exist(): Promise<boolean>;
}

interface Needs {
  readonly database: Database;
  readonly audit: AuditTrail;
  readonly clock: Clock;
}

export function createOperators({ database, audit, clock }: Needs): Operators {
  return {
    async create(actor, email) {
      const address = checkEmail(email);
      const at = clock.now();
      const row = { id: newId(at), email: address, created_at: at };
      try {
        await database.transaction(async (trx) => {
          await insertOperator(trx, row);
          await audit.record(trx, [
            {
              organizationId: '',
              actor,
              action: 'operator.create',
              subject: row.id,
              at,
              detail: JSON.stringify({ email: address }),
            },
          ]);
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Problem('conflict', { field: 'email', detail: `There is an operator ${address} already.` });
      }
      return { id: row.id, email: address, created_at: toRfc3339(at) };
    },
    exist: async () => (await countOperators(database.db)) > 0,
  };
}

/** Mail addresses are told apart by their lower-case form; whether one exists only a mail to it can tell. */
function checkEmail(email: string): string {
  const address = email.trim().toLowerCase();
  if (address.length <= 254 && isPlainText(address) && /^[^\s@]+@[^\s@]+$/u.test(address)) return address;
  throw new Problem('invalid_parameter', {
    field: 'email',
    detail: 'email must be a mail address such as ops@example.com.',
  });
}
