import type { ReasonOf } from '@waxwing/contract/management-api/problem-reasons.ts';
import { Problem } from '../../runtime/problem.ts';
import type { PasswordHasher } from './password-hash.ts';
import { passwordFault, passwordFaults } from './password-rules.ts';

/** Checks a password that is to be set, and hashes it. @throws Problem `password_rejected`, `service_unavailable` */
export type HashNewPassword = (password: string, email: string) => Promise<string>;

export function createHashNewPassword(hasher: Pick<PasswordHasher, 'hash'>, baseUrl: string): HashNewPassword {
  const host = new URL(baseUrl).hostname;
  return async (password, email) => {
    const fault: ReasonOf<'password_rejected'> | undefined = passwordFault(password, { email, host });
    if (fault !== undefined) {
      throw new Problem('password_rejected', { field: 'password', reason: fault, ...passwordFaults[fault] });
    }
    return hasher.hash(password);
  };
}
