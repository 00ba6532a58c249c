import type { DnsProvider } from '../proofs/dns-provider.ts';
import { answeredBy, isTemporaryStatus, JsonView, ProviderFault } from './provider-fault.ts';
import type { SendRequest } from './provider-request.ts';
import { relativeName } from './provider-zones.ts';
import type { KeyPair, SigningMoment } from './signatures/key-pair.ts';
import { signTencent } from './signatures/sign-tencent.ts';
import { type SingleRecordApi, singleRecordProvider } from './single-records.ts';

const host = 'dnspod.tencentcloudapi.com';
/** The least that every plan allows. */
const ttl = 600;
const temporaryCodes = /^(?:RequestLimitExceeded|InternalError|LimitExceeded\.OverFrequency|RequestTimeout)/;

/** DNSPod by the API of Tencent Cloud (2021-03-23). Errors come with status 200 as well. */
export function dnspodProvider(keys: KeyPair, send: SendRequest, moment: () => SigningMoment): DnsProvider {
  const call = async (action: string, content: object, signal: AbortSignal) => {
    const body = JSON.stringify(content);
    const request = signTencent({ host, service: 'dnspod', action, version: '2021-03-23', body }, keys, moment());
    const answer = answeredBy(await send(request, signal));
    const response = JsonView.parse(answer.body).get('Response');
    const error = response.get('Error');
    if (answer.status === 200 && response.exists && !error.exists) return response;
    const code = error.get('Code').text() ?? `status ${answer.status}`;
    const temporary = isTemporaryStatus(answer.status) || temporaryCodes.test(code);
    throw new ProviderFault(`DNSPod: ${code} ${error.get('Message').text() ?? ''}`, { code, temporary });
  };
  /** An empty list is an error of its own here. */
  const list = async (
    action: string,
    content: object,
    name: string,
    signal: AbortSignal,
  ): Promise<readonly JsonView[]> => {
    try {
      return (await call(action, content, signal)).get(name).list();
    } catch (error) {
      if (error instanceof ProviderFault && error.code.startsWith('ResourceNotFound')) return [];
      throw error;
    }
  };

  const api: SingleRecordApi<string> = {
    async findZone(candidate, signal) {
      const domains = await list('DescribeDomainList', { Keyword: candidate }, 'DomainList', signal);
      return domains.map((domain) => domain.get('Name').text()).find((name) => name === candidate);
    },
    async list(zone, name, signal) {
      const query = { Domain: zone, Subdomain: relativeName(name, zone), RecordType: 'TXT', Limit: 3000 };
      const records = await list('DescribeRecordList', query, 'RecordList', signal);
      return records.map((record) => ({
        id: record.get('RecordId').text() ?? '',
        value: record.get('Value').text() ?? '',
      }));
    },
    async add(zone, { name, value }, signal) {
      const SubDomain = relativeName(name, zone);
      const record = { Domain: zone, SubDomain, RecordType: 'TXT', RecordLine: '默认', Value: value, TTL: ttl };
      try {
        return (await call('CreateRecord', record, signal)).get('RecordId').text();
      } catch (error) {
        if (error instanceof ProviderFault && error.code === 'InvalidParameter.DomainRecordExist') return undefined;
        throw error;
      }
    },
    async remove(zone, id, signal) {
      await list('DeleteRecord', { Domain: zone, RecordId: Number(id) }, '', signal);
    },
  };
  return singleRecordProvider(api, [keys.secret]);
}
