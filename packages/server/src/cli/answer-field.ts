import { Problem } from '../runtime/problem.ts';
import { jsonText, plainText } from './text-table.ts';

/**
 * One value of an answer, for scripts; of a list a line for each row, and nothing where it is empty.
 * @throws Problem `invalid_parameter` when the answer has none of that name: by then the command has been carried out
 */
export function answerField(answer: object, name: string): string {
  const rows: readonly object[] = Array.isArray(answer) ? answer : [answer];
  return rows.map((row) => `${fieldOf(row, name)}\n`).join('');
}

function fieldOf(row: object, name: string): string {
  const value: unknown = Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : undefined;
  if (value === undefined) {
    const detail = `It was done, but the answer has no "${name}"; it has: ${Object.keys(row).join(', ')}.`;
    throw new Problem('invalid_parameter', { field: 'field', detail });
  }
  if (value === null) return '';
  return typeof value === 'object' ? jsonText(value) : plainText(String(value));
}
