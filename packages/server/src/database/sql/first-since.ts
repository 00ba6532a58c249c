/**
 * Finds the first of a range of numbers whose time is at or after `since`, by halving. Where times grow with the
 * numbers this takes some twenty look-ups by key among a million rows, and needs no index of times.
 * @param range its `last` may be below `first` where it is empty
 * @param timeOf undefined for a number that retention has just removed, which is older than all others
 * @returns the number behind the last where all are older
 */
export async function firstSince(
  { first, last }: { readonly first: number; readonly last: number },
  since: number,
  timeOf: (number: number) => Promise<number | undefined>,
): Promise<number> {
  let from = first;
  let to = last + 1;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const at = await timeOf(middle);
    if (at !== undefined && at >= since) to = middle;
    else from = middle + 1;
  }
  return from;
}
