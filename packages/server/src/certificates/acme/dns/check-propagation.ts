import { type DecodedMessage, responseCodeName, responseCodes } from '@waxwing/dns/dns-message.ts';
import { isSameName, parseName } from '@waxwing/dns/domain-name.ts';
import { recordTypes, textValue } from '@waxwing/dns/resource-record.ts';
import type { DnsExchange } from './dns-client.ts';
import { type AuthorityNeeds, askServer, findAuthoritative, lookLimit } from './find-authoritative.ts';

export type Propagation =
  | { readonly kind: 'seen' }
  /** At the last look; one sentence for each server. */
  | { readonly kind: 'missing'; readonly words: readonly string[] };

export interface PropagationNeeds extends AuthorityNeeds {
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Asks all authoritative servers of a name until each of them has all the TXT values. The authority that checks the
 * proof may ask any of them.
 * @param waitsMs between the looks, of which there is one more
 */
export async function checkPropagation(
  needs: PropagationNeeds,
  record: { readonly name: string; readonly values: readonly string[] },
  waitsMs: readonly number[],
  signal: AbortSignal,
): Promise<Propagation> {
  for (const waitMs of waitsMs) {
    const { kind } = await look(needs, record, signal);
    if (kind === 'seen') return { kind };
    await needs.wait(waitMs, signal);
  }
  return look(needs, record, signal);
}

async function look(
  needs: AuthorityNeeds,
  { name, values }: { readonly name: string; readonly values: readonly string[] },
  signal: AbortSignal,
): Promise<Propagation> {
  const limit = lookLimit(needs, signal);
  const found = await findAuthoritative(needs, name, limit);
  if (found.kind === 'failed') return { kind: 'missing', words: [found.words] };
  const { servers, ...place } = found.authority;
  const asked = parseName(place.name);
  const views = servers.map(async (server) => ({
    host: server.host,
    view: await askServer(needs, server, asked, limit),
  }));
  return whatIsMissing(place.name, values, await Promise.all(views));
}

/** What each server lacks. */
export function whatIsMissing(
  name: string,
  values: readonly string[],
  servers: readonly { readonly host: string; readonly view: DnsExchange }[],
): Propagation {
  const words = servers.flatMap(({ host, view }) => {
    const lack = whatLacks(name, values, view);
    return lack === undefined ? [] : [`The name server ${host} ${lack}.`];
  });
  if (servers.length > 0 && words.length === 0) return { kind: 'seen' };
  return { kind: 'missing', words };
}

function whatLacks(name: string, values: readonly string[], view: DnsExchange): string | undefined {
  if (view.kind === 'blocked') {
    return 'was not asked: its address is not public. The operator can admit it by WAXWING_ACME_ALLOW_NETWORKS';
  }
  if (view.kind === 'timedOut') return 'gave no answer in time';
  if (view.kind === 'broken') {
    return view.code === 'ENODATA' ? 'has no address' : `cannot be reached (${view.code})`;
  }
  return whatIsWrong(name, values, view.message);
}

function whatIsWrong(name: string, values: readonly string[], message: DecodedMessage): string | undefined {
  const { responseCode, isAuthoritative } = message;
  if (responseCode !== responseCodes.NOERROR && responseCode !== responseCodes.NXDOMAIN) {
    return `refused the question (${responseCodeName(responseCode)})`;
  }
  if (!isAuthoritative) return `does not answer for the zone of ${name}`;
  const present = textsAt(name, message);
  if (values.every((value) => present.includes(value))) return undefined;
  if (present.length === 0) return `has no TXT record at ${name}`;
  return `has ${present.length === 1 ? 'another TXT value' : 'other TXT values'} at ${name}`;
}

function textsAt(name: string, { answers }: DecodedMessage): readonly (string | undefined)[] {
  const owner = parseName(name);
  return answers
    .filter((record) => record.type === recordTypes.TXT && isSameName(record.name, owner))
    .map(({ data }) => textValue(data));
}
