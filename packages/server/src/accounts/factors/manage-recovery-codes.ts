import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { Database, Db } from '../../database/database.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { ofAccount } from '../sessions/sessions.ts';
import {
  countRecoveryCodes,
  deleteRecoveryCodes,
  findTotp,
  listPasskeys,
  replaceRecoveryCodes,
  takeRecoveryCode,
} from '../store/factor-store.ts';
import { newRecoveryCode, recoveryCodeHash, recoveryCodes } from './recovery-code.ts';

/** Codes for a person who has lost the other second factors. Each code works once. */
export interface RecoveryCodes {
  /** New codes in place of all before, shown here and never again. @throws Problem `conflict` without a second factor */
  replace(accountId: string): Promise<readonly SecretText[]>;
  /** With the first factor come the first codes; none when there are unused ones. */
  issueFirst(trx: Db, accountId: string): Promise<readonly SecretText[]>;
  /** Uses a code up, in the caller's transaction. @returns false for a wrong one, or one that was used before */
  accept(trx: Db, accountId: string, code: string): Promise<boolean>;
  /** When the last second factor is gone. */
  removeUnneeded(trx: Db, accountId: string): Promise<void>;
}

export function createRecoveryCodes(database: Database, audit: AuditTrail, clock: Clock): RecoveryCodes {
  async function issue(trx: Db, accountId: string): Promise<readonly SecretText[]> {
    const codes = Array.from({ length: recoveryCodes }, () => newRecoveryCode());
    await replaceRecoveryCodes(
      trx,
      accountId,
      codes.map((code) => recoveryCodeHash(code) ?? unreadable()),
    );
    return codes.map((code) => new SecretText(code));
  }

  return {
    replace: (accountId) =>
      database.transaction(async (trx) => {
        if (!(await hasSecondFactor(trx, accountId))) {
          throw new Problem('conflict', {
            reason: 'no_second_factor',
            detail: 'Recovery codes stand in for a second factor. Add one first.',
          });
        }
        const codes = await issue(trx, accountId);
        await audit.record(trx, [ofAccount(accountId, 'recovery-codes.replace', clock.now())]);
        return codes;
      }),

    issueFirst: async (trx, accountId) => ((await countRecoveryCodes(trx, accountId)) > 0 ? [] : issue(trx, accountId)),

    async accept(trx, accountId, code) {
      const hash = recoveryCodeHash(code);
      return hash !== undefined && takeRecoveryCode(trx, accountId, hash, clock.now());
    },

    async removeUnneeded(trx, accountId) {
      if (!(await hasSecondFactor(trx, accountId))) await deleteRecoveryCodes(trx, accountId);
    },
  };
}

async function hasSecondFactor(db: Db, accountId: string): Promise<boolean> {
  const totp = await findTotp(db, accountId);
  return (totp !== undefined && totp.confirmed_at !== null) || (await listPasskeys(db, accountId)).length > 0;
}

function unreadable(): never {
  throw new TypeError('a recovery code that was just made does not read as one');
}
