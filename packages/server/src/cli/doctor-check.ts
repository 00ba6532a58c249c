/** One thing that the doctor looked at. */
export interface Check {
  /** snake_case. */
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** One sentence: what was found. */
  readonly message: string;
  /** One sentence: what to do about it; null where there is nothing to do. */
  readonly remedy: string | null;
}

export const ok = (name: string, message: string): Check => ({ name, state: 'ok', message, remedy: null });

export const warn = (name: string, message: string, remedy: string): Check => ({
  name,
  state: 'warn',
  message,
  remedy,
});

export const fail = (name: string, message: string, remedy: string): Check => ({
  name,
  state: 'fail',
  message,
  remedy,
});

const shown = 5;

/** `3 of them: a, b, c`, and no more than a few names. */
export function someOf(names: readonly string[]): string {
  const listed = names.slice(0, shown).join(', ');
  return names.length > shown ? `${listed} and ${names.length - shown} more` : listed;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
