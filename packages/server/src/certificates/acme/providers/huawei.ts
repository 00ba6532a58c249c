import type { DnsProvider } from '../proofs/dns-provider.ts';
import { answeredBy, isTemporaryStatus, JsonView, ProviderFault } from './provider-fault.ts';
import type { ProviderRequest, SendRequest } from './provider-request.ts';
import {
  quoted,
  type RecordSet,
  type RecordSetApi,
  recordSetProvider,
  type SetChanges,
  unquoted,
} from './record-sets.ts';
import type { KeyPair, SigningMoment } from './signatures/key-pair.ts';
import { signHuawei } from './signatures/sign-huawei.ts';

interface StoredSet extends RecordSet {
  readonly id: string;
}

/** Huawei Cloud DNS (v2). @param region of the endpoint; public zones are the same in all */
export function huaweiProvider(
  keys: KeyPair,
  region: string,
  changes: SetChanges,
  send: SendRequest,
  moment: () => SigningMoment,
): DnsProvider {
  const host = `dns.${region}.myhuaweicloud.com`;
  const call = async (
    request: {
      method: ProviderRequest['method'];
      path: string;
      query?: Readonly<Record<string, string>>;
      content?: object;
    },
    signal: AbortSignal,
  ) => {
    const { method, path, query = {}, content } = request;
    const body = content === undefined ? {} : { body: JSON.stringify(content) };
    const answer = answeredBy(await send(signHuawei({ method, host, path, query, ...body }, keys, moment()), signal));
    const json = JsonView.parse(answer.body);
    if (answer.status >= 200 && answer.status < 300) return json;
    const code = json.get('code').text() ?? json.get('error_code').text() ?? `status ${answer.status}`;
    const message = json.get('message').text() ?? json.get('error_msg').text() ?? '';
    const temporary = isTemporaryStatus(answer.status);
    throw new ProviderFault(`Huawei Cloud: ${code} ${message}`, { code: `${answer.status}`, temporary });
  };
  const contentOf = ({ name, values, ttl }: RecordSet) => ({
    name: `${name}.`,
    type: 'TXT',
    ttl,
    records: values.map(quoted),
  });

  const api: RecordSetApi<string, StoredSet> = {
    async findZone(candidate, signal) {
      const query = { type: 'public', name: `${candidate}.`, search_mode: 'equal' };
      const found = await call({ method: 'GET', path: '/v2/zones', query }, signal);
      const zones = found.get('zones').list();
      return zones
        .find((zone) => zone.get('name').text() === `${candidate}.`)
        ?.get('id')
        .text();
    },
    async read(zone, name, signal) {
      const query = { type: 'TXT', name: `${name}.`, search_mode: 'equal' };
      const found = await call({ method: 'GET', path: `/v2/zones/${zone}/recordsets`, query }, signal);
      const sets = found.get('recordsets').list();
      const set = sets.find((each) => each.get('name').text() === `${name}.` && each.get('type').text() === 'TXT');
      if (set === undefined) return undefined;
      const values = set
        .get('records')
        .list()
        .map((value) => unquoted(value.text() ?? ''));
      return { id: set.get('id').text() ?? '', name, values, ttl: Number(set.get('ttl').text() ?? 300) };
    },
    async write(zone, set, before, signal) {
      const path = `/v2/zones/${zone}/recordsets`;
      const content = contentOf(set);
      if (before === undefined) await call({ method: 'POST', path, content }, signal);
      else await call({ method: 'PUT', path: `${path}/${before.id}`, content }, signal);
    },
    async remove(zone, { id }, signal) {
      try {
        await call({ method: 'DELETE', path: `/v2/zones/${zone}/recordsets/${id}` }, signal);
      } catch (error) {
        if (!(error instanceof ProviderFault && error.code === '404')) throw error;
      }
    },
  };
  return recordSetProvider(api, { changes, secrets: [keys.secret] });
}
