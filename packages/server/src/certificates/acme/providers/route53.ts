import type { DnsProvider } from '../proofs/dns-provider.ts';
import { answeredBy, isTemporaryStatus, ProviderFault } from './provider-fault.ts';
import type { SendRequest } from './provider-request.ts';
import {
  quoted,
  type RecordSet,
  type RecordSetApi,
  recordSetProvider,
  type SetChanges,
  unquoted,
} from './record-sets.ts';
import type { KeyPair, SigningMoment } from './signatures/key-pair.ts';
import { signAws } from './signatures/sign-aws.ts';

const host = 'route53.amazonaws.com';
const version = '/2013-04-01';
const temporaryCodes: ReadonlySet<string> = new Set(['Throttling', 'ThrottlingException', 'PriorRequestNotComplete']);

/** Amazon Route 53. A name that is a CNAME refuses the record; other values of the name stay in its set. */
export function route53Provider(
  keys: KeyPair,
  changes: SetChanges,
  send: SendRequest,
  moment: () => SigningMoment,
): DnsProvider {
  const call = async (path: string, query: Readonly<Record<string, string>>, signal: AbortSignal, body?: string) => {
    const request = { host, region: 'us-east-1', service: 'route53', path: `${version}${path}`, query };
    const method = body === undefined ? 'GET' : 'POST';
    const signed = signAws({ ...request, method, ...(body === undefined ? {} : { body }) }, keys, moment());
    const answer = answeredBy(await send(signed, signal));
    if (answer.status === 200) return answer.body;
    const code = textOf(answer.body, 'Code') ?? `status ${answer.status}`;
    const temporary = isTemporaryStatus(answer.status) || temporaryCodes.has(code);
    throw new ProviderFault(`Route 53: ${code} ${textOf(answer.body, 'Message') ?? ''}`, { code, temporary });
  };
  const change = (action: 'UPSERT' | 'DELETE', zone: string, set: RecordSet, signal: AbortSignal) =>
    call(`/hostedzone/${zone}/rrset/`, {}, signal, changeBatch(action, set));

  const api: RecordSetApi<string, RecordSet> = {
    async findZone(candidate, signal) {
      const answer = await call('/hostedzonesbyname', { dnsname: candidate, maxitems: '10' }, signal);
      const zones = elementsOf(answer, 'HostedZone').filter((zone) => textOf(zone, 'PrivateZone') !== 'true');
      const zone = zones.find((each) => textOf(each, 'Name') === `${candidate}.`);
      return zone && textOf(zone, 'Id')?.replace(/^\/hostedzone\//, '');
    },
    async read(zone, name, signal) {
      const query = { name: `${name}.`, type: 'TXT', maxitems: '1' };
      // The list begins at this name, or at the next that there is.
      const [set] = elementsOf(await call(`/hostedzone/${zone}/rrset`, query, signal), 'ResourceRecordSet');
      if (set === undefined || textOf(set, 'Name') !== `${name}.` || textOf(set, 'Type') !== 'TXT') return undefined;
      const values = elementsOf(set, 'Value').map((value) => unquoted(unescapeXml(value)));
      return { name, values, ttl: Number(textOf(set, 'TTL') ?? 60) };
    },
    async write(zone, set, _before, signal) {
      await change('UPSERT', zone, set, signal);
    },
    async remove(zone, set, signal) {
      try {
        await change('DELETE', zone, set, signal);
      } catch (error) {
        if (!(error instanceof ProviderFault && /but it was not found/.test(error.message))) throw error;
      }
    },
  };
  return recordSetProvider(api, { changes, secrets: [keys.secret] });
}

function changeBatch(action: string, { name, values, ttl }: RecordSet): string {
  const records = values.map((value) => `<ResourceRecord><Value>${escapeXml(quoted(value))}</Value></ResourceRecord>`);
  const set =
    `<ResourceRecordSet><Name>${escapeXml(name)}.</Name><Type>TXT</Type><TTL>${ttl}</TTL>` +
    `<ResourceRecords>${records.join('')}</ResourceRecords></ResourceRecordSet>`;
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeBatch><Changes>' +
    `<Change><Action>${action}</Action>${set}</Change>` +
    '</Changes></ChangeBatch></ChangeResourceRecordSetsRequest>'
  );
}

/** The insides of all elements of a name. Answers nest none in one of its own name. */
function elementsOf(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>(.*?)</${name}>`, 'gs'))].map(([, inside = '']) => inside);
}

function textOf(xml: string, name: string): string | undefined {
  const [inside] = elementsOf(xml, name);
  return inside && unescapeXml(inside);
}

const entities: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&apos;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:quot|apos|lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
