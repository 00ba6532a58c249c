import type {
  CodeInOrder,
  CodeWithRemedy,
  DoctorCode,
  DoctorParameters,
} from '@waxwing/contract/management-api/doctor-findings.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { inspectInstance } from '@waxwing/contract/management-api/operations/instance-operations.ts';

/** One thing that the doctor looked at. */
export interface Check extends ShownCheck {
  readonly code: DoctorCode;
}

type ShownCheck = AnswerOf<typeof inspectInstance>['checks'][number];

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
