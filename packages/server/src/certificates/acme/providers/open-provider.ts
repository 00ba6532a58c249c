import { randomUUID } from 'node:crypto';
import { parseName } from '@waxwing/dns/domain-name.ts';
import type { DnsProvider, DnsResult } from '../proofs/dns-provider.ts';
import { aliyunProvider } from './aliyun.ts';
import { cloudflareProvider } from './cloudflare.ts';
import { dnspodProvider } from './dnspod.ts';
import { huaweiProvider } from './huawei.ts';
import { manualProvider } from './manual-provider.ts';
import type { ProviderSetup } from './provider-options.ts';
import type { SendRequest } from './provider-request.ts';
import type { SetChanges } from './record-sets.ts';
import { rfc2136Provider, type UpdateNeeds } from './rfc2136.ts';
import { route53Provider } from './route53.ts';
import { webhookProvider } from './webhook-provider.ts';

export interface ProviderNeeds extends UpdateNeeds {
  readonly send: SendRequest;
  readonly changes: SetChanges;
  readonly log: { error(fields: object, message: string): void };
}

/** The provider of an account whose options are checked. Its acts never reject: an order must not outlive a bug of ours. */
export function openProvider(setup: ProviderSetup, needs: ProviderNeeds): DnsProvider {
  const provider = providerOf(setup, needs);
  const whole = async (act: Promise<DnsResult>): Promise<DnsResult> => {
    try {
      return await act;
    } catch (error) {
      needs.log.error({ err: error, provider: setup.kind }, 'a DNS provider met an error of ours');
      return { kind: 'failed', words: 'This server met an error of its own. Its log tells more.', temporary: true };
    }
  };
  return {
    present: (record, signal) => whole(provider.present(record, signal)),
    cleanUp: (record, signal) => whole(provider.cleanUp(record, signal)),
    test: (domain, signal) => whole(provider.test(domain, signal)),
  };
}

function providerOf(setup: ProviderSetup, needs: ProviderNeeds): DnsProvider {
  const { send, changes, now } = needs;
  const moment = () => ({ now: now(), nonce: randomUUID() });
  switch (setup.kind) {
    case 'rfc2136': {
      const { host, port, zone, keyName, algorithm } = setup;
      const key = { name: parseName(keyName), algorithm, secret: Buffer.from(setup.secret.reveal(), 'base64') };
      return rfc2136Provider({ host, port, zone, key }, needs);
    }
    case 'cloudflare':
      return cloudflareProvider(setup.secret.reveal(), send);
    case 'aliyun':
      return aliyunProvider({ id: setup.keyId, secret: setup.secret.reveal() }, send, moment);
    case 'dnspod':
      return dnspodProvider({ id: setup.keyId, secret: setup.secret.reveal() }, send, moment);
    case 'huawei':
      return huaweiProvider({ id: setup.keyId, secret: setup.secret.reveal() }, setup.region, changes, send, moment);
    case 'route53':
      return route53Provider({ id: setup.keyId, secret: setup.secret.reveal() }, changes, send, moment);
    case 'webhook':
      return webhookProvider(setup, send, moment);
    case 'manual':
      return manualProvider;
  }
}
