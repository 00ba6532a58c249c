import type { ProviderAnswer, ProviderRequest, SendRequest } from './provider-request.ts';
import { percentEncode } from './signatures/key-pair.ts';

/** What a cloud of tests holds: TXT values by name, in zones. */
export interface FakeCloud {
  readonly zones: readonly string[];
  readonly texts: Map<string, string[]>;
  readonly requests: ProviderRequest[];
  /** Answered instead of everything else. */
  fault: { status: number; body: string } | undefined;
  readonly send: SendRequest;
}

/** What the fake of one cloud answers to a request, with the values that it may change. */
type Answer = (request: ProviderRequest, url: URL, cloud: FakeCloud) => object | string | undefined;

function fakeCloud(answer: Answer): FakeCloud {
  const cloud: FakeCloud = {
    zones: ['example.com', 'sub.example.com'],
    texts: new Map(),
    requests: [],
    fault: undefined,
    send: async (request): Promise<ProviderAnswer> => {
      cloud.requests.push(request);
      if (cloud.fault !== undefined) return { kind: 'answered', ...cloud.fault };
      const found = answer(request, new URL(request.url), cloud);
      if (found === undefined) return { kind: 'answered', status: 404, body: '{}' };
      return { kind: 'answered', status: 200, body: typeof found === 'string' ? found : JSON.stringify(found) };
    },
  };
  return cloud;
}

const idOf = (name: string, value: string): string => Buffer.from(`${name} ${value}`).toString('hex');

function add({ texts }: FakeCloud, name: string, value: string): string {
  texts.set(name, [...(texts.get(name) ?? []), value]);
  return idOf(name, value);
}

function remove({ texts }: FakeCloud, id: string): boolean {
  const [name = '', value = ''] = Buffer.from(id, 'hex').toString().split(' ');
  const before = texts.get(name) ?? [];
  texts.set(
    name,
    before.filter((each) => each !== value),
  );
  return before.includes(value);
}

const zoneList = ({ zones }: FakeCloud, name: string | null) => zones.filter((zone) => zone === name);

export const fakeClouds: Readonly<Record<string, () => FakeCloud>> = {
  cloudflare: () =>
    fakeCloud(({ method, body = '' }, url, cloud) => {
      const [, , , , zone, , id = ''] = url.pathname.split('/');
      const name = url.searchParams.get('name') ?? '';
      if (zone === undefined) return { result: zoneList(cloud, name).map((each) => ({ id: each, name: each })) };
      if (method === 'DELETE')
        return remove(cloud, id) ? { result: { id } } : { errors: [{ code: 81044, message: 'gone' }] };
      if (method === 'GET') {
        const records = cloud.texts.get(name) ?? [];
        return { result: records.map((value) => ({ id: idOf(name, value), content: `"${value}"` })) };
      }
      const record = JSON.parse(body);
      return { result: { id: add(cloud, record.name, record.content.slice(1, -1)) } };
    }),
  aliyun: () =>
    fakeCloud(({ headers }, { searchParams: query }, cloud) => {
      const name = query.get('SubDomain') ?? '';
      switch (headers['x-acs-action']) {
        case 'DescribeDomains':
          return { Domains: { Domain: zoneList(cloud, query.get('KeyWord')).map((DomainName) => ({ DomainName })) } };
        case 'DescribeSubDomainRecords': {
          const values = cloud.texts.get(name) ?? [];
          return { DomainRecords: { Record: values.map((Value) => ({ RecordId: idOf(name, Value), Value })) } };
        }
        case 'AddDomainRecord':
          return { RecordId: add(cloud, `${query.get('RR')}.${query.get('DomainName')}`, query.get('Value') ?? '') };
        default:
          remove(cloud, query.get('RecordId') ?? '');
          return {};
      }
    }),
  dnspod: () => {
    const ids: string[] = [];
    return fakeCloud(({ headers, body = '' }, _url, cloud) => {
      const content = JSON.parse(body);
      const nothing = { Response: { Error: { Code: 'ResourceNotFound.NoDataOfRecord', Message: '' } } };
      switch (headers['x-tc-action']) {
        case 'DescribeDomainList': {
          const DomainList = zoneList(cloud, content.Keyword).map((Name) => ({ Name }));
          return DomainList.length === 0 ? nothing : { Response: { DomainList } };
        }
        case 'DescribeRecordList': {
          const name = `${content.Subdomain}.${content.Domain}`;
          const values = cloud.texts.get(name) ?? [];
          if (values.length === 0) return nothing;
          return {
            Response: { RecordList: values.map((Value) => ({ RecordId: ids.indexOf(idOf(name, Value)) + 1, Value })) },
          };
        }
        case 'CreateRecord':
          return {
            Response: { RecordId: ids.push(add(cloud, `${content.SubDomain}.${content.Domain}`, content.Value)) },
          };
        default:
          return remove(cloud, ids[content.RecordId - 1] ?? '') ? { Response: {} } : nothing;
      }
    });
  },
  huawei: () =>
    fakeCloud(({ method, body = '' }, url, cloud) => {
      const [, , , zone, , id] = url.pathname.split('/');
      const name = url.searchParams.get('name')?.replace(/\.$/, '') ?? '';
      if (zone === undefined) return { zones: zoneList(cloud, name).map((each) => ({ id: each, name: `${each}.` })) };
      if (method === 'GET') {
        const values = cloud.texts.get(name) ?? [];
        const records = values.map((value) => `"${value}"`);
        return {
          recordsets: values.length > 0 ? [{ id: name, name: `${name}.`, type: 'TXT', ttl: 300, records }] : [],
        };
      }
      if (method === 'DELETE') return cloud.texts.delete(id ?? '') ? {} : undefined;
      const set = JSON.parse(body);
      cloud.texts.set(
        set.name.slice(0, -1),
        set.records.map((value: string) => value.slice(1, -1)),
      );
      return {};
    }),
  route53: () =>
    fakeCloud(({ method, body = '' }, url, cloud) => {
      if (url.pathname.endsWith('/hostedzonesbyname')) {
        const zones = cloud.zones.flatMap((zone) => [
          `<HostedZone><Id>/hostedzone/P</Id><Name>${zone}.</Name><Config><PrivateZone>true</PrivateZone></Config></HostedZone>`,
          `<HostedZone><Id>/hostedzone/Z</Id><Name>${zone}.</Name><Config><PrivateZone>false</PrivateZone></Config></HostedZone>`,
        ]);
        return `<List>${zones.join('')}</List>`;
      }
      if (!url.pathname.startsWith('/2013-04-01/hostedzone/Z/rrset')) return undefined;
      if (method === 'GET') {
        const name = url.searchParams.get('name')?.slice(0, -1) ?? '';
        const values = cloud.texts.get(name) ?? [];
        const records = values.map((value) => `<ResourceRecord><Value>&quot;${value}&quot;</Value></ResourceRecord>`);
        const shown = values.length > 0 ? name : 'another.example.com';
        return `<ResourceRecordSets><ResourceRecordSet><Name>${shown}.</Name><Type>TXT</Type><TTL>60</TTL><ResourceRecords>${records.join('')}</ResourceRecords></ResourceRecordSet></ResourceRecordSets>`;
      }
      const name = /<Name>(.*)\.<\/Name>/.exec(body)?.[1] ?? '';
      const values = [...body.matchAll(/<Value>"(.*?)"<\/Value>/g)].map(([, value = '']) => value);
      cloud.texts.set(name, body.includes('<Action>DELETE') ? [] : values);
      return '<ChangeResourceRecordSetsResponse/>';
    }),
};

/** Whether a text holds a secret as it is, or encoded. */
export function holdsSecret(text: string, secret: string): boolean {
  return text.includes(secret) || text.includes(percentEncode(secret));
}
