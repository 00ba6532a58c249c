import { randomBytes } from 'node:crypto';
import { type DnsMessage, encodeMessage, responseCodeName, responseCodes } from '@waxwing/dns/dns-message.ts';
import { formatName, isWithin, parseName } from '@waxwing/dns/domain-name.ts';
import { signMessage, type TsigKey, type TsigVerdict, verifyResponse } from '@waxwing/dns/tsig.ts';
import { addText, removeText } from '@waxwing/dns/update-message.ts';
import { parseAddress } from '../../../http/request/ip-address.ts';
import type { ResolveHost } from '../../../outbound/host-resolver.ts';
import { codeOf } from '../../../outbound/target-guard.ts';
import { type DnsClient, type DnsExchange, drawMessageId } from '../dns/dns-client.ts';
import type { DnsProvider, ProofRecord } from '../proofs/dns-provider.ts';
import { ProviderFault, resultOf } from './provider-fault.ts';
import { trialName } from './provider-zones.ts';
import { tryRecord } from './try-record.ts';

export interface UpdateAccount {
  readonly host: string;
  readonly port: number;
  readonly zone: string;
  readonly key: TsigKey;
}

export interface UpdateNeeds {
  readonly client: DnsClient;
  readonly resolve: ResolveHost;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A name server that takes dynamic updates (RFC 2136), signed by a shared key. */
export function rfc2136Provider(account: UpdateAccount, needs: UpdateNeeds): DnsProvider {
  const zone = parseName(account.zone);
  const update = async (kind: 'add' | 'remove', { name, value, ttl }: ProofRecord, signal: AbortSignal) => {
    const record = { name: parseName(name), value, ttl };
    if (!isWithin(record.name, zone)) throw new ProviderFault(`${name} does not lie in the zone ${account.zone}.`);
    const id = drawMessageId();
    const message = kind === 'add' ? addText(id, zone, record) : removeText(id, zone, record);
    await sendUpdate(account, needs, message, signal);
  };
  return {
    present: (record, signal) => resultOf([], () => update('add', record, signal)),
    cleanUp: (record, signal) => resultOf([], () => update('remove', record, signal)),
    test: (domain, signal) =>
      resultOf([], async () => {
        const value = `waxwing-test-${randomBytes(16).toString('hex')}`;
        const record = { name: trialName(domain), value, ttl: 60 };
        await tryRecord(
          () => update('add', record, signal),
          (own) => update('remove', record, own),
        );
      }),
  };
}

async function sendUpdate(
  account: UpdateAccount,
  { client, resolve, now }: UpdateNeeds,
  message: DnsMessage,
  signal: AbortSignal,
): Promise<void> {
  const seconds = () => Math.floor(now() / 1000);
  const signed = signMessage(encodeMessage(message), account.key, seconds());
  const [text] = await addressesOf(account.host, resolve);
  const address = parseAddress(text ?? '');
  if (address === undefined) throw new ProviderFault(`The name ${account.host} has no address.`, { temporary: true });
  const exchange = await client.exchange({ address, port: account.port }, message, signed.bytes, signal);
  const { bytes, message: response } = answeredIn(exchange, `${account.host}:${account.port}`);
  const fault = refusalOf(response.responseCode, verifyResponse(bytes, account.key, signed.mac, seconds()), account);
  if (fault !== undefined) throw fault;
}

async function addressesOf(host: string, resolve: ResolveHost): Promise<readonly string[]> {
  if (parseAddress(host) !== undefined) return [host];
  try {
    return await resolve(host);
  } catch (error) {
    throw new ProviderFault(`The name ${host} does not resolve (${codeOf(error)}).`, { temporary: true });
  }
}

function answeredIn(exchange: DnsExchange, server: string): Extract<DnsExchange, { kind: 'answered' }> {
  switch (exchange.kind) {
    case 'answered':
      return exchange;
    case 'blocked':
      throw new ProviderFault(
        `The address of ${server} is not public. The operator can admit it by WAXWING_ACME_ALLOW_NETWORKS.`,
      );
    case 'timedOut':
      throw new ProviderFault(`The name server ${server} gave no answer in time.`, { temporary: true });
    case 'broken':
      throw new ProviderFault(`The name server ${server} cannot be reached (${exchange.code}).`, { temporary: true });
  }
}

/** What the server refuses, or why its answer does not count; undefined when the update is done. */
function refusalOf(code: number, verdict: TsigVerdict, account: UpdateAccount): ProviderFault | undefined {
  const key = formatName(account.key.name);
  if (verdict.kind === 'refused') return new ProviderFault(signatureWords[verdict.why](key));
  const said = `The name server says ${responseCodeName(code)}`;
  // An error may come without a signature; nothing is believed from it but that the update was not done.
  if (code === responseCodes.NOTAUTH)
    return new ProviderFault(`${said}: it does not answer for the zone ${account.zone}.`);
  if (code === responseCodes.REFUSED) return new ProviderFault(`${said}: the key ${key} may not write this name.`);
  if (code !== responseCodes.NOERROR) {
    return new ProviderFault(`${said}.`, { temporary: code === responseCodes.SERVFAIL });
  }
  if (verdict.kind === 'valid') return undefined;
  return new ProviderFault(`The answer of the name server is not signed by the key ${key} (${verdict.why}).`, {
    temporary: true,
  });
}

const signatureWords: Readonly<Record<Extract<TsigVerdict, { kind: 'refused' }>['why'], (key: string) => string>> = {
  key: (key) => `The name server does not know the key ${key} with this algorithm (BADKEY).`,
  signature: (key) => `The name server has another secret for the key ${key} (BADSIG).`,
  time: () => 'The clocks of this server and the name server differ by more than five minutes (BADTIME).',
  truncation: (key) => `The name server wants a longer signature by the key ${key} (BADTRUNC).`,
};
