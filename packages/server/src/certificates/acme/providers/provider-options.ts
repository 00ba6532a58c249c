import type { KeyObject } from 'node:crypto';
import {
  type ProviderForm,
  type ProviderKind,
  providerForms,
} from '@waxwing/contract/management-api/dns-provider-forms.ts';
import { DnsFault } from '@waxwing/dns/dns-fault.ts';
import { parseName } from '@waxwing/dns/domain-name.ts';
import { type TsigAlgorithm, tsigAlgorithms } from '@waxwing/dns/tsig.ts';
import { parseSigningSecret } from '../../../outbound/signature.ts';
import { parseTargetUrl } from '../../../outbound/target-url.ts';
import type { SecretText } from '../../../runtime/secret-text.ts';

/** What a provider is built of, checked. */
export type ProviderSetup =
  | {
      readonly kind: 'rfc2136';
      readonly host: string;
      readonly port: number;
      readonly zone: string;
      readonly keyName: string;
      readonly algorithm: TsigAlgorithm;
      readonly secret: SecretText;
    }
  | { readonly kind: 'cloudflare'; readonly secret: SecretText }
  | { readonly kind: 'aliyun' | 'dnspod' | 'route53'; readonly keyId: string; readonly secret: SecretText }
  | { readonly kind: 'huawei'; readonly keyId: string; readonly region: string; readonly secret: SecretText }
  | { readonly kind: 'webhook'; readonly url: string; readonly key?: KeyObject }
  | { readonly kind: 'manual' };

/** `option` is the name of the option, or `secret`; `message` names the remedy and repeats no secret. */
export interface OptionFault {
  readonly option: string;
  readonly message: string;
}

export type CheckedOptions =
  | { readonly ok: true; readonly setup: ProviderSetup }
  | { readonly ok: false; readonly faults: readonly OptionFault[] };

/** Checks the options and the secret of a provider. Every fault is reported at once; nothing is looked up. */
export function checkProviderOptions(
  kind: ProviderKind,
  options: Readonly<Record<string, string>>,
  secret: SecretText | undefined,
): CheckedOptions {
  const missing = [...missingOptions(kind, options), ...secretFaults(kind, secret)];
  const faults = [...missing, ...valueFaults(kind, options, secret)];
  return faults.length > 0 ? { ok: false, faults } : { ok: true, setup: setupOf(kind, options, secret) };
}

function missingOptions(kind: ProviderKind, options: Readonly<Record<string, string>>): readonly OptionFault[] {
  const form: ProviderForm = providerForms[kind];
  const known = form.options.map(({ name }) => name);
  const names = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  const absent = form.options.filter(({ name, required }) => required && (options[name] ?? '') === '');
  return [
    ...unknown.map((option) => ({ option, message: `A provider of kind ${kind} has no option ${option}; ${names}.` })),
    ...absent.map(({ name, about }) => ({ option: name, message: `Set the option ${name}. ${about}` })),
  ];
}

function secretFaults(kind: ProviderKind, secret: SecretText | undefined): readonly OptionFault[] {
  const form: ProviderForm = providerForms[kind];
  const isThere = secret !== undefined && secret.reveal() !== '';
  if (form.secret === 'none' && secret !== undefined) {
    return [{ option: 'secret', message: `A provider of kind ${kind} has no secret; leave it out.` }];
  }
  if (form.secret !== 'required' || isThere) return [];
  return [{ option: 'secret', message: `Give the secret in a file. ${form.aboutSecret}` }];
}

function valueFaults(
  kind: ProviderKind,
  options: Readonly<Record<string, string>>,
  secret: SecretText | undefined,
): readonly OptionFault[] {
  const checks: readonly (OptionFault | false)[] = Object.entries(options).map(([option, value]) => {
    const message = value === '' ? undefined : optionFault(option, value);
    return message !== undefined && { option, message };
  });
  const found = checks.filter((check) => check !== false);
  const message = secret && secret.reveal() !== '' ? secretFault(kind, secret) : undefined;
  return message === undefined ? found : [...found, { option: 'secret', message }];
}

function optionFault(option: string, value: string): string | undefined {
  switch (option) {
    case 'server':
      return parseServer(value)
        ? undefined
        : 'The server must be HOST:PORT, such as ns1.example.com:53 or [2001:db8::1]:53.';
    case 'zone':
    case 'key-name':
      return isName(value) ? undefined : `The ${option} must be a name, such as example.com.`;
    case 'algorithm':
      if (Object.hasOwn(tsigAlgorithms, value)) return undefined;
      return `The algorithm must be one of ${Object.keys(tsigAlgorithms).join(', ')}; MD5 and SHA-1 are not supported.`;
    case 'region':
      return /^[a-z0-9-]{1,40}$/.test(value) ? undefined : 'The region must be an id, such as cn-north-4.';
    case 'key-id':
      return /^[\w.-]{1,128}$/.test(value) ? undefined : 'The key-id must be the id that the cloud shows for the key.';
    case 'url':
      return urlFault(value);
    default:
      return undefined;
  }
}

function urlFault(value: string): string | undefined {
  const parsed = parseTargetUrl(value);
  // Options are stored in clear, and shown to everybody of the organization. Pushes take a secret in the query instead.
  const isTelling = parsed.ok ? parsed.target.ownQuery !== '' : parsed.fault.code === 'user-info';
  if (isTelling) {
    return (
      'The url must have no query and no user name: everybody who may see the provider sees it. ' +
      'Give a secret instead, which signs the requests.'
    );
  }
  return parsed.ok ? undefined : parsed.fault.message;
}

function secretFault(kind: ProviderKind, secret: SecretText): string | undefined {
  if (kind === 'webhook') {
    if (parseSigningSecret(secret) !== undefined) return undefined;
    return 'The secret must be whsec_ and the base64 of 24 to 64 bytes.';
  }
  const text = secret.reveal();
  if (kind === 'rfc2136') {
    const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
    return isBase64 ? undefined : 'The secret must be the TSIG key in base64, as tsig-keygen prints it.';
  }
  // It becomes part of a header.
  return /^[!-~]+$/.test(text) ? undefined : 'The secret must be one line without blanks.';
}

function isName(value: string): boolean {
  try {
    return parseName(value).length > 0;
  } catch (error) {
    if (error instanceof DnsFault) return false;
    throw error;
  }
}

function parseServer(value: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(value) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

/** Of options without fault. */
function setupOf(
  kind: ProviderKind,
  options: Readonly<Record<string, string>>,
  given: SecretText | undefined,
): ProviderSetup {
  const { url = '', zone = '', algorithm = 'hmac-sha256', region = 'cn-north-4' } = options;
  const ofKey = { keyId: options['key-id'] ?? '' };
  if (kind === 'manual') return { kind };
  if (kind === 'webhook') {
    const key = given && parseSigningSecret(given);
    return { kind, url, ...(key && { key }) };
  }
  if (given === undefined) throw new TypeError('a secret that is required was not checked');
  const secret = { secret: given };
  if (kind === 'cloudflare') return { kind, ...secret };
  if (kind === 'huawei') return { kind, ...ofKey, region, ...secret };
  if (kind !== 'rfc2136') return { kind, ...ofKey, ...secret };
  const server = parseServer(options.server ?? '') ?? { host: '', port: 0 };
  return {
    kind,
    ...server,
    zone,
    keyName: options['key-name'] ?? '',
    algorithm: algorithm as TsigAlgorithm,
    ...secret,
  };
}
