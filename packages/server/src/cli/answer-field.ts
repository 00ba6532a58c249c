import { Problem } from '../runtime/problem.ts';
import { jsonText, plainText } from './text-table.ts';

/**
 * One value of an answer, for scripts; of a list a line for each row, and nothing where it is empty.
 * @param names what it may be called, the first that is there counts
 * @throws Problem `invalid_parameter` when the answer has none of these names: by then the command has been carried out
 */
export function answerField(answer: object, names: readonly string[]): string {
  const rows: readonly object[] = Array.isArray(answer) ? answer : [answer];
  return rows.map((row) => `${fieldOf(row, names)}\n`).join('');
}

function fieldOf(row: object, names: readonly string[]): string {
  const name = names.find((each) => Object.hasOwn(row, each));
  const value: unknown = name === undefined ? undefined : (row as Record<string, unknown>)[name];
  if (value === undefined) {
    const detail = `It was done, but the answer has no ${names.map((each) => `"${each}"`).join(' or ')}; it has: ${Object.keys(row).join(', ')}.`;
    throw new Problem('invalid_parameter', { field: 'field', detail });
  }
  if (value === null) return '';
  return typeof value === 'object' ? jsonText(value) : plainText(String(value));
}
