import type { DnsProvider } from '../proofs/dns-provider.ts';
import { answeredBy, isTemporaryStatus, JsonView, ProviderFault } from './provider-fault.ts';
import type { ProviderRequest, SendRequest } from './provider-request.ts';
import { quoted, unquoted } from './record-sets.ts';
import { type SingleRecordApi, singleRecordProvider } from './single-records.ts';

const base = 'https://api.cloudflare.com/client/v4';
/** "The record already exists", "An identical record already exists"; and "Record does not exist". */
const identical: ReadonlySet<string> = new Set(['81057', '81058']);
const missing = '81044';

/** Cloudflare, by an API token that may read zones and edit DNS. */
export function cloudflareProvider(token: string, send: SendRequest): DnsProvider {
  const call = async (method: ProviderRequest['method'], path: string, signal: AbortSignal, content?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = content === undefined ? {} : { body: JSON.stringify(content) };
    const answer = answeredBy(await send({ method, url: `${base}${path}`, headers, ...body }, signal));
    const json = JsonView.parse(answer.body);
    if (answer.status === 200 && json.get('result').exists) return json.get('result');
    const [error] = json.get('errors').list();
    const code = error?.get('code').text() ?? `status ${answer.status}`;
    const words = `Cloudflare: ${code} ${error?.get('message').text() ?? ''}`;
    throw new ProviderFault(words, { code, temporary: isTemporaryStatus(answer.status) });
  };

  const api: SingleRecordApi<string> = {
    async findZone(candidate, signal) {
      const zones = await call('GET', `/zones?name=${encodeURIComponent(candidate)}`, signal);
      return zones
        .list()
        .find((zone) => zone.get('name').text() === candidate)
        ?.get('id')
        .text();
    },
    async list(zone, name, signal) {
      const records = await call(
        'GET',
        `/zones/${zone}/dns_records?type=TXT&name=${encodeURIComponent(name)}&per_page=100`,
        signal,
      );
      return records.list().map((record) => ({
        id: record.get('id').text() ?? '',
        value: unquoted(record.get('content').text() ?? ''),
      }));
    },
    async add(zone, { name, value }, signal) {
      try {
        const record = { type: 'TXT', name, content: quoted(value), ttl: 60 };
        return (await call('POST', `/zones/${zone}/dns_records`, signal, record)).get('id').text();
      } catch (error) {
        if (error instanceof ProviderFault && identical.has(error.code)) return undefined;
        throw error;
      }
    },
    async remove(zone, id, signal) {
      try {
        await call('DELETE', `/zones/${zone}/dns_records/${id}`, signal);
      } catch (error) {
        if (!(error instanceof ProviderFault && error.code === missing)) throw error;
      }
    },
  };
  return singleRecordProvider(api, [token]);
}
