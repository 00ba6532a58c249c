import type { DnsProvider } from '../proofs/dns-provider.ts';
import { answeredBy, isTemporaryStatus, JsonView, ProviderFault } from './provider-fault.ts';
import type { SendRequest } from './provider-request.ts';
import { relativeName } from './provider-zones.ts';
import type { KeyPair, SigningMoment } from './signatures/key-pair.ts';
import { signAliyun } from './signatures/sign-aliyun.ts';
import { type SingleRecordApi, singleRecordProvider } from './single-records.ts';

const host = 'alidns.aliyuncs.com';
/** The least that every plan allows. */
const ttl = '600';

/** Alibaba Cloud DNS (API 2015-01-09). */
export function aliyunProvider(keys: KeyPair, send: SendRequest, moment: () => SigningMoment): DnsProvider {
  const call = async (action: string, query: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const request = signAliyun({ host, action, version: '2015-01-09', query }, keys, moment());
    const answer = answeredBy(await send(request, signal));
    const json = JsonView.parse(answer.body);
    if (answer.status === 200) return json;
    const code = json.get('Code').text() ?? `status ${answer.status}`;
    const temporary = isTemporaryStatus(answer.status) || code.startsWith('Throttling');
    throw new ProviderFault(`Alibaba Cloud: ${code} ${json.get('Message').text() ?? ''}`, { code, temporary });
  };

  const api: SingleRecordApi<string> = {
    async findZone(candidate, signal) {
      const found = await call('DescribeDomains', { KeyWord: candidate, SearchMode: 'EXACT' }, signal);
      const domains = found.get('Domains').get('Domain').list();
      return domains.map((domain) => domain.get('DomainName').text()).find((name) => name === candidate);
    },
    async list(zone, name, signal) {
      const query = { DomainName: zone, SubDomain: name, Type: 'TXT', PageSize: '500' };
      const found = await call('DescribeSubDomainRecords', query, signal);
      const records = found.get('DomainRecords').get('Record').list();
      return records.map((record) => ({
        id: record.get('RecordId').text() ?? '',
        value: record.get('Value').text() ?? '',
      }));
    },
    async add(zone, { name, value }, signal) {
      const record = { DomainName: zone, RR: relativeName(name, zone), Type: 'TXT', Value: value, TTL: ttl };
      try {
        return (await call('AddDomainRecord', record, signal)).get('RecordId').text();
      } catch (error) {
        if (error instanceof ProviderFault && error.code === 'DomainRecordDuplicate') return undefined;
        throw error;
      }
    },
    async remove(_zone, id, signal) {
      try {
        await call('DeleteDomainRecord', { RecordId: id }, signal);
      } catch (error) {
        // The record is nobody's: it is gone.
        if (!(error instanceof ProviderFault && error.code === 'DomainRecordNotBelongToUser')) throw error;
      }
    },
  };
  return singleRecordProvider(api, [keys.secret]);
}
