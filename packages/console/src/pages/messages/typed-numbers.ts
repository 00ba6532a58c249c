/** Phone numbers as people paste them. Pure. */

/** Numbers of one request at most: the contract's limit. */
export const mostNumbers = 1_000;

/** The number that a problem's field such as `mobiles[3]` is about. */
export function numberAt(numbers: readonly string[], field: string | undefined): string | undefined {
  const [, index] = /^mobiles\[(\d+)\]$/.exec(field ?? '') ?? [];
  return index === undefined ? undefined : numbers[Number(index)];
}

/** Splits at line ends and commas, not at spaces within a number; without duplicates. */
export function typedNumbers(text: string): readonly string[] {
  const numbers = text.split(/[\n\r,;，；、\t]+/).map((number) => number.trim());
  return [...new Set(numbers.filter((number) => number !== ''))];
}
