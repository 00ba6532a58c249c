import type {
  CodeInOrder,
  CodeWithRemedy,
  DoctorCode,
  DoctorParameters,
} from '@waxwing/contract/management-api/doctor-findings.ts';

/** One thing that the doctor looked at. */
export interface Check {
  /** What was looked at, snake_case. */
  readonly name: string;
  /** What was found. */
  readonly code: DoctorCode;
  readonly state: 'ok' | 'warn' | 'fail';
  /** One sentence: what was found. */
  readonly message: string;
  /** One sentence: what to do about it; null where there is nothing to do. */
  readonly remedy: string | null;
  /** What occurs in message or remedy, so that both can be said in another language. */
  readonly parameters: Readonly<Record<string, string | number>>;
}

export const ok = <Code extends CodeInOrder>(
  name: string,
  code: Code,
  parameters: DoctorParameters<Code>,
  message: string,
): Check => ({ name, code, state: 'ok', message, remedy: null, parameters });

export const warn = <Code extends CodeWithRemedy>(
  name: string,
  code: Code,
  parameters: DoctorParameters<Code>,
  message: string,
  remedy: string,
): Check => ({ name, code, state: 'warn', message, remedy, parameters });

export const fail = <Code extends CodeWithRemedy>(
  name: string,
  code: Code,
  parameters: DoctorParameters<Code>,
  message: string,
  remedy: string,
): Check => ({ name, code, state: 'fail', message, remedy, parameters });

const shown = 5;

/** `a, b, c`, and no more than a few names: a parameter, which has no words of any language. */
export function firstOf(names: readonly (string | number)[]): string {
  return names.slice(0, shown).join(', ');
}

/** For a sentence: `a, b, c`, and of more than a few names how many more there are. */
export function someOf(names: readonly string[]): string {
  const listed = firstOf(names);
  return names.length > shown ? `${listed} and ${names.length - shown} more` : listed;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The text with exactly one full stop at its end, so that another sentence can follow it. */
export function sentence(text: string): string {
  return text.replace(/[.\s]*$/, '.');
}
