/** Lists of addresses as people write them. Pure. */

/** One entry each, in the order given, none twice. */
export function splitAddresses(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.split(/[\s,;，；]+/)).filter((text) => text !== ''))];
}

/** Whether an entry, or two halves together, let the whole internet of a family in. */
export function admitsEverybody(entries: readonly string[]): boolean {
  if (entries.some((entry) => /^[0.:]+\/0+$/.test(entry))) return true;
  const has = (entry: string) => entries.includes(entry);
  return (has('0.0.0.0/1') && has('128.0.0.0/1')) || (has('::/1') && has('8000::/1'));
}
