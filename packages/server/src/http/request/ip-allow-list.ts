import { type Fault, Problem } from '../../runtime/problem.ts';
import { type AddressRange, addressSet, type IpAddress, type ParsedRange, parseRange } from './ip-address.ts';

/** Who may use a token, prepared for many look-ups. An empty list admits nobody. */
export interface AllowList {
  /** An address that could not be determined is on no list. */
  allows(address: IpAddress | undefined): boolean;
}

const MAX_ENTRIES = 1_000;

/**
 * Checks the entries of an allow-list: addresses or networks in CIDR notation, of either family.
 * @returns the entries in canonical text, in the order given, each once
 * @throws Problem `invalid_parameter` on the field `allow` with one fault (`allow[2]`) for each bad entry
 */
export function parseAllowList(entries: readonly string[]): readonly string[] {
  return [...new Set(parseEntries(entries).map((range) => range.text))];
}

/** @throws Problem as `parseAllowList`; entries that it returned never fail. */
export function compileAllowList(entries: readonly string[]): AllowList {
  const set = addressSet(parseEntries(entries));
  return { allows: (address) => address !== undefined && set.has(address) };
}

/**
 * Whether every address of the list `allow` is on the list `other` as well, by one of its entries or by several
 * together.
 */
export function isNoWider(allow: readonly string[], other: readonly string[]): boolean {
  const set = addressSet(parseEntries(other));
  return parseEntries(allow).every((range) => set.holds(range));
}

function parseEntries(entries: readonly string[]): AddressRange[] {
  if (entries.length > MAX_ENTRIES) {
    const message = `An allow-list holds at most ${MAX_ENTRIES} entries, not ${entries.length}; write networks instead of single addresses.`;
    throw rejected([{ field: 'allow', message }]);
  }
  const faults: Fault[] = [];
  const ranges: AddressRange[] = [];
  for (const [index, entry] of entries.entries()) {
    const parsed = parseRange(entry.trim());
    if ('range' in parsed) ranges.push(parsed.range);
    else faults.push({ field: `allow[${index}]`, message: explain(entry.trim(), parsed) });
  }
  if (faults.length > 0) throw rejected(faults);
  return ranges;
}

function rejected(faults: readonly Fault[]): Problem {
  return new Problem('invalid_parameter', { field: 'allow', detail: 'The allow-list was not accepted.', faults });
}

/** One bit too many may be a slip of either kind, so it is asked and not guessed. */
function explain(entry: string, parsed: Exclude<ParsedRange, { range: AddressRange }>): string {
  const shown = JSON.stringify(entry.slice(0, 100));
  switch (parsed.fault) {
    case 'host-bits':
      return `${shown} has bits set beyond its prefix: write ${parsed.network} for the network or ${parsed.address} for the one address.`;
    case 'bad-prefix':
      return `${shown} has no valid prefix length: write 0 to 32 after an IPv4 address, 0 to 128 after an IPv6 address.`;
    case 'not-an-address':
      return `${shown} is neither an IP address nor a network: write it like 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32; names are not accepted.`;
  }
}
