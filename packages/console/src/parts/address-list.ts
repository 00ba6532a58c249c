/** Lists of addresses as people write them. Pure. */

/** One entry each, in the order given, none twice. */
export function splitAddresses(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.split(/[\s,;，；]+/)).filter((text) => text !== ''))];
}
