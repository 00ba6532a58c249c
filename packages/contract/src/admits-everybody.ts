/** Whether an entry of an allow-list, or two halves together, admits the whole internet of an address family. */
export function admitsEverybody(entries: readonly string[]): boolean {
  const written = entries.map((entry) => entry.trim().toLowerCase());
  // IPv4-mapped addresses count as IPv4 here: ::ffff:0.0.0.0/96 is 0.0.0.0/0.
  if (written.some((entry) => /^[0.:]+\/0+$|^[0:]*:ffff:[0.:]+\/96$/.test(entry))) return true;
  const has = (entry: string) => written.includes(entry);
  return (has('0.0.0.0/1') && has('128.0.0.0/1')) || (has('::/1') && has('8000::/1'));
}
