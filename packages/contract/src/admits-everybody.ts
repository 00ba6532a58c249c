/**
 * Whether an entry of an allow-list, or two halves together, let the whole internet of a family in. Whoever writes such a list
 * is asked first, in the console and on a terminal. Entries may be as people write them or as the server shows them.
 */
export function admitsEverybody(entries: readonly string[]): boolean {
  const written = entries.map((entry) => entry.trim().toLowerCase());
  // IPv4-mapped addresses are IPv4 addresses here, so ::ffff:0.0.0.0/96 is 0.0.0.0/0.
  if (written.some((entry) => /^[0.:]+\/0+$|^[0:]*:ffff:[0.:]+\/96$/.test(entry))) return true;
  const has = (entry: string) => written.includes(entry);
  return (has('0.0.0.0/1') && has('128.0.0.0/1')) || (has('::/1') && has('8000::/1'));
}
