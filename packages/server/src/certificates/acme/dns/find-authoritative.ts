import type { Resolver } from 'node:dns/promises';
import { type DecodedMessage, encodeMessage, queryMessage } from '@waxwing/dns/dns-message.ts';
import { type DomainName, formatName, isSameName, isWithin, parseName } from '@waxwing/dns/domain-name.ts';
import { classes, recordTypes } from '@waxwing/dns/resource-record.ts';
import { type IpAddress, parseAddress } from '../../../http/request/ip-address.ts';
import { codeOf } from '../../../outbound/target-guard.ts';
import { type DnsClient, type DnsExchange, drawMessageId } from './dns-client.ts';

export interface AuthorityNeeds {
  /** The system's. */
  readonly resolver: Pick<Resolver, 'resolve4' | 'resolve6' | 'resolveNs' | 'resolveCname'>;
  readonly client: DnsClient;
  /** Where authoritative servers are asked: 53. */
  readonly port: number;
  /** For a whole look, however many servers it asks. By default {@link lookMs}. */
  readonly limitMs?: number;
}

/** A name server by its name, and its addresses, IPv4 first. */
export interface AuthoritativeServer {
  readonly host: string;
  readonly addresses: readonly IpAddress[];
}

export interface Authority {
  /** Where the records stand: the name asked for, or the target of its CNAME. */
  readonly name: string;
  readonly zone: string;
  readonly servers: readonly AuthoritativeServer[];
}

export type FoundAuthority =
  | { readonly kind: 'found'; readonly authority: Authority }
  | { readonly kind: 'failed'; readonly words: string; readonly temporary: boolean };

/**
 * Whoever owns the zones of a name chooses how many servers a look asks, and how long each is silent. Four exchanges,
 * or several more at servers that answer.
 */
const lookMs = 20_000;
const longestDelegation = 8;
/** Whoever owns a zone chooses how many servers it names. Thirteen are the most that a zone has had for good reason. */
const mostServers = 13;
const mostAddresses = 4;

/** Ends with `signal`, or when the time of a look is over. */
export function lookLimit({ limitMs = lookMs }: Pick<AuthorityNeeds, 'limitMs'>, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
}

/**
 * Finds the zone of a name and who answers for it. The system's resolver is asked about the names above alone, and the
 * servers of those about the name: a resolver remembers for as long as an hour that nothing was there, and the authority
 * may ask the same one. Never rejects.
 */
export async function findAuthoritative(
  needs: AuthorityNeeds,
  name: string,
  signal: AbortSignal,
): Promise<FoundAuthority> {
  const seen = new Set<string>();
  let current = name;
  while (seen.size < longestDelegation && !seen.has(current)) {
    seen.add(current);
    const found = await findZone(needs.resolver, current, signal);
    if (found.kind === 'failed') return found;
    const { target, authority } = await readAlias(needs, found.authority, signal);
    if (target === undefined) return { kind: 'found', authority };
    current = target;
  }
  const words = `The CNAME records from ${name} on go round in a circle, or are more than ${longestDelegation}.`;
  return { kind: 'failed', words, temporary: false };
}

/**
 * Where the CNAME records of a name lead in the end, as far as can be found out in time; undefined where there is none.
 * Never rejects.
 * @param isEnd whether a target is known, and need not be asked after
 */
export async function findAliasTarget(
  needs: AuthorityNeeds,
  name: string,
  isEnd: (target: string) => boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const limit = lookLimit(needs, signal);
  let current = name;
  for (let hops = 0; hops < longestDelegation && !isEnd(current); hops++) {
    const found = await findZone(needs.resolver, current, limit);
    const { target } = found.kind === 'found' ? await readAlias(needs, found.authority, limit) : {};
    if (target === undefined) break;
    current = target;
  }
  return current === name ? undefined : current;
}

/** The zone above the name; its servers know whether the name is a zone of its own. */
async function findZone(
  resolver: AuthorityNeeds['resolver'],
  name: string,
  signal: AbortSignal,
): Promise<FoundAuthority> {
  const labels = name.split('.');
  // Last comes the name itself: nothing above it may be known.
  const candidates = [...labels.keys(), 0].slice(1).map((index) => labels.slice(index).join('.'));
  for (const zone of candidates) {
    // The resolver's own time limit is short, but it knows no signal.
    if (signal.aborted) return failed(`The name servers of ${zone} were not found in time.`);
    const [isAnAlias, hosts] = await Promise.all([isAlias(resolver, zone), lookUp(() => resolver.resolveNs(zone))]);
    // The resolver answers with the servers of the target.
    if (isAnAlias) continue;
    if ('code' in hosts) return failed(`The name servers of ${zone} cannot be found (${hosts.code}).`);
    if (hosts.values.length === 0) continue;
    return { kind: 'found', authority: { name, zone, servers: await findServers(resolver, hosts.values) } };
  }
  return failed(`No zone in DNS holds ${name}.`);
}

function failed(words: string): FoundAuthority {
  return { kind: 'failed', words, temporary: true };
}

async function isAlias(resolver: AuthorityNeeds['resolver'], name: string): Promise<boolean> {
  const found = await lookUp(() => resolver.resolveCname(name));
  return 'values' in found && found.values.length > 0;
}

async function findServers(
  resolver: AuthorityNeeds['resolver'],
  hosts: readonly string[],
): Promise<readonly AuthoritativeServer[]> {
  const named = hosts.toSorted().slice(0, mostServers);
  return Promise.all(named.map((host) => findAddresses(resolver, host)));
}

async function findAddresses(resolver: AuthorityNeeds['resolver'], host: string): Promise<AuthoritativeServer> {
  const found = await Promise.all([lookUp(() => resolver.resolve4(host)), lookUp(() => resolver.resolve6(host))]);
  const texts = found.flatMap((each) => ('values' in each ? each.values : []));
  const addresses = texts.map(parseAddress).filter((address) => address !== undefined);
  return { host, addresses: addresses.slice(0, mostAddresses) };
}

/** What a look-up found, which may be nothing; or the code of what kept it from finding out. */
async function lookUp(
  ask: () => Promise<readonly string[]>,
): Promise<{ readonly values: readonly string[] } | { readonly code: string }> {
  try {
    return { values: await ask() };
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENODATA' || code === 'ENOTFOUND' ? { values: [] } : { code };
  }
}

interface FoundAlias {
  /** undefined where the name is no CNAME, or no server tells. */
  readonly target: string | undefined;
  /** Of the name's own zone, where a server referred to one. */
  readonly authority: Authority;
}

/** The target of the CNAME that stands at the name, by the first server that tells. */
async function readAlias(needs: AuthorityNeeds, authority: Authority, signal: AbortSignal): Promise<FoundAlias> {
  const name = parseName(authority.name);
  for (const server of authority.servers) {
    const asked = await askServer(needs, server, name, signal);
    if (asked.kind !== 'answered') continue;
    if (asked.message.isAuthoritative) return { target: targetIn(asked.message, name), authority };
    const child = referredTo(asked.message, authority);
    if (child === undefined || signal.aborted) continue;
    const servers = await findServers(needs.resolver, child.hosts);
    return readAlias(needs, { ...authority, zone: child.zone, servers }, signal);
  }
  return { target: undefined, authority };
}

/** The zone of its own that the name lies in, where a server refers to its servers (RFC 1034 §4.3.2). */
function referredTo(
  { answers, authorities }: DecodedMessage,
  { name, zone }: Authority,
): { readonly zone: string; readonly hosts: readonly string[] } | undefined {
  if (answers.length > 0) return undefined;
  const [asked, above] = [parseName(name), parseName(zone)];
  const servers = authorities.filter((record) => record.type === recordTypes.NS && isWithin(asked, record.name));
  // Each referral leads further down, so they end.
  const own = servers.find((record) => record.name.length > above.length)?.name;
  if (own === undefined) return undefined;
  const named = servers.filter((record) => isSameName(record.name, own));
  const hosts = named.flatMap(({ data }) => (data.kind === 'name' ? [formatName(data.name).toLowerCase()] : []));
  return { zone: formatName(own).toLowerCase(), hosts };
}

function targetIn({ answers }: DecodedMessage, name: DomainName): string | undefined {
  const alias = answers.find((record) => record.type === recordTypes.CNAME && isSameName(record.name, name));
  return alias?.data.kind === 'name' ? formatName(alias.data.name).toLowerCase() : undefined;
}

/** Asks a server for the TXT records of a name, at the first of its addresses that answers. Never rejects. */
export async function askServer(
  { client, port }: Pick<AuthorityNeeds, 'client' | 'port'>,
  { addresses }: AuthoritativeServer,
  name: DomainName,
  signal: AbortSignal,
): Promise<DnsExchange> {
  let last: DnsExchange = { kind: 'broken', code: 'ENODATA' };
  for (const address of addresses) {
    const query = queryMessage(drawMessageId(), { name, type: recordTypes.TXT, class: classes.IN });
    last = await client.exchange({ address, port }, query, encodeMessage(query), signal);
    if (last.kind === 'answered') return last;
  }
  return last;
}
