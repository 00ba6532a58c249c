import { randomBytes } from 'node:crypto';
import type { Ground } from '../../audit/ground.ts';
import type { Db } from '../../database/database.ts';
import type { TotpRow } from '../../database/schema/account-tables.ts';
import { requireSealingKey } from '../../database/sealing-key.ts';
import { newId } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { open, seal } from '../../secrets/envelope.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { ofAccount } from '../sessions/sessions.ts';
import { confirmTotp, deleteTotp, findTotp, putUnconfirmedTotp, takeTotpStep } from '../store/factor-store.ts';
import type { RecoveryCodes } from './manage-recovery-codes.ts';
import { totpContext } from './sealed-totp-secrets.ts';
import type { SignInBudgets } from './sign-in-budgets.ts';
import { base32, enrolmentUri, matchingStep, totpSecretBytes } from './totp.ts';

/** Codes of an authenticator application as a second factor. */
export interface Totp {
  /**
   * A new secret, shown here and never again; it counts once a first code has been confirmed.
   * @throws Problem `conflict` when there is one that counts: it must be removed first
   */
  enrol(accountId: string, email: string): Promise<{ secret: SecretText; uri: SecretText }>;
  /**
   * @returns recovery codes, shown here and never again, when the person has none yet
   * @throws Problem `factor_rejected` for a wrong code, `conflict` when no enrolment is under way, `too_many_requests`
   */
  confirm(accountId: string, sessionId: string, code: string): Promise<readonly SecretText[]>;
  /** Uses a code up, in the caller's transaction. @returns false for a wrong one, or one that was accepted before */
  accept(trx: Db, accountId: string, code: string): Promise<boolean>;
  /** @throws Problem `not_found` */
  remove(accountId: string): Promise<void>;
}

export interface TotpNeeds extends Pick<Ground, 'database' | 'audit' | 'clock'> {
  readonly ring: () => KeyRing;
  readonly guesses: SignInBudgets;
  readonly recoveryCodes: Pick<RecoveryCodes, 'issueFirst' | 'removeUnneeded'>;
  /** Under which name applications list it. */
  readonly issuer: string;
}

export function createTotp(needs: TotpNeeds): Totp {
  const { database, audit, clock, ring, guesses, recoveryCodes, issuer } = needs;

  function stepOf(row: TotpRow, code: string): number | undefined {
    const secret = open(ring(), totpContext(row), row.sealed);
    try {
      return matchingStep(secret, code, clock.now(), row.last_step);
    } finally {
      secret.fill(0);
    }
  }

  return {
    async enrol(accountId, email) {
      const at = clock.now();
      const secret = randomBytes(totpSecretBytes);
      const ids = { account_id: accountId, id: newId(at) };
      const keys = ring();
      const sealed = seal(keys, totpContext(ids), secret);
      const row: TotpRow = {
        ...ids,
        sealed,
        key_id: keys.current.id,
        confirmed_at: null,
        last_step: 0,
        created_at: at,
      };
      await database.transaction(async (trx) => {
        await requireSealingKey(trx, keys.current.id);
        if (!(await putUnconfirmedTotp(trx, row))) {
          throw new Problem('conflict', {
            reason: 'totp_present',
            detail: 'There is an authenticator application already. Remove it first.',
          });
        }
      });
      const shown = new SecretText(base32(secret));
      const uri = new SecretText(enrolmentUri(secret, email, issuer));
      secret.fill(0);
      return { secret: shown, uri };
    },

    async confirm(accountId, sessionId, code) {
      const guess = await guesses.take('second-factor', { kind: 'familiar', account: accountId, device: sessionId });
      const at = clock.now();
      const codes = await database.transaction(async (trx) => {
        const row = await findTotp(trx, accountId);
        if (row === undefined || row.confirmed_at !== null) {
          throw new Problem('conflict', {
            reason: 'totp_not_begun',
            detail: 'No authenticator application waits for its first code. Begin again.',
          });
        }
        const step = stepOf(row, code);
        const isRight = step !== undefined && (await takeTotpStep(trx, row, step)) && (await confirmTotp(trx, row, at));
        if (!isRight) throw new Problem('factor_rejected', { field: 'code', reason: 'wrong_code', detail: wrongCode });
        const codes = await recoveryCodes.issueFirst(trx, accountId);
        await audit.record(trx, [ofAccount(accountId, 'totp.add', at)]);
        return codes;
      });
      await guess.takeBack();
      return codes;
    },

    async accept(trx, accountId, code) {
      const row = await findTotp(trx, accountId);
      if (row === undefined || row.confirmed_at === null) return false;
      const step = stepOf(row, code);
      return step !== undefined && takeTotpStep(trx, row, step);
    },

    async remove(accountId) {
      await database.transaction(async (trx) => {
        if (!(await deleteTotp(trx, accountId))) {
          throw new Problem('not_found', { detail: 'There is no authenticator application.' });
        }
        await recoveryCodes.removeUnneeded(trx, accountId);
        await audit.record(trx, [ofAccount(accountId, 'totp.remove', clock.now())]);
      });
    },
  };
}

const wrongCode = 'This code is not right. Wait for the next one, and see that the clock of the device is right.';
