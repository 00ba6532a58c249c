/** Lists of addresses as people write them. Pure. */

/** Splits texts into single entries, in their order and without duplicates. */
export function splitAddresses(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.split(/[\s,;，；]+/)).filter((text) => text !== ''))];
}
