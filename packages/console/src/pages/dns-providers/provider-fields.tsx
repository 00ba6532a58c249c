import {
  type ProviderForm,
  type ProviderKind,
  providerForms,
} from '@waxwing/contract/management-api/dns-provider-forms.ts';
import { Form, type FormItemProps, Input, Select } from 'antd';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { TextField } from '../../parts/forms/text-field.tsx';

export interface ProviderValues {
  readonly name: string;
  readonly options?: Readonly<Record<string, string | undefined>>;
  readonly secret?: string;
}

const algorithms = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const;

const placeholders: Readonly<Record<string, string>> = {
  server: 'ns1.example.com:53',
  zone: 'example.com',
  'key-name': 'waxwing',
  region: 'cn-north-4',
  url: 'https://dns.example.com/records',
};

interface ProviderFieldsProps {
  readonly kind: ProviderKind;
  /** Of an existing provider: its secret is kept where the field stays empty. */
  readonly hasSecret?: boolean;
}

/** The name of a DNS provider, the options that its kind has, and its secret, as the provider calls them. */
export function ProviderFields({ kind, hasSecret = false }: ProviderFieldsProps) {
  const { t } = useTranslation();
  const { options, secret }: ProviderForm = providerForms[kind];
  return (
    <>
      <TextField name="name" label={t('common.name')} placeholder={t('dnsProviders.namePlaceholder')} />
      {options.map(({ name, required }) => (
        <OptionField key={name} kind={kind} name={name} required={required} />
      ))}
      {kind in secretForms && secret !== 'none' && (
        <SecretField kind={kind as SecretKind} required={secret === 'required' && !hasSecret} hasSecret={hasSecret} />
      )}
    </>
  );
}

/** What an option is called where the person finds it. */
export function optionLabel(t: TFunction, kind: ProviderKind, name: string): string {
  switch (name) {
    case 'key-id':
      return t(`dnsProviders.options.keyId.${kind as 'aliyun' | 'dnspod' | 'huawei' | 'route53'}`);
    case 'key-name':
      return t('dnsProviders.options.keyName');
    default:
      return t(`dnsProviders.options.${name as 'server' | 'zone' | 'algorithm' | 'url' | 'region'}`);
  }
}

interface OptionFieldProps {
  readonly kind: ProviderKind;
  readonly name: string;
  readonly required: boolean;
}

function OptionField({ kind, name, required }: OptionFieldProps) {
  const { t } = useTranslation();
  const label = optionLabel(t, kind, name);
  const hints: Readonly<Record<string, string>> = {
    server: t('dnsProviders.optionHints.server'),
    zone: t('dnsProviders.optionHints.zone'),
    region: t('dnsProviders.optionHints.region'),
    url: t('dnsProviders.optionHints.url'),
  };
  const forms: Readonly<Record<string, NonNullable<FormItemProps['rules']>>> = {
    server: [
      {
        pattern: /^\s*(?:\[[0-9a-fA-F:.]+\]|[\w.-]+):\d{1,5}\s*$/,
        message: t('dnsProviders.optionForms.server'),
      },
    ],
    region: [{ pattern: /^\s*[a-z0-9-]{1,40}\s*$/, message: t('dnsProviders.optionForms.region') }],
    'key-id': [{ pattern: /^\s*[\w.-]{1,128}\s*$/, message: t('dnsProviders.optionForms.keyId') }],
  };
  return (
    <Form.Item
      name={['options', name]}
      label={required || name === 'algorithm' ? label : t('dnsProviders.optional', { label })}
      extra={hints[name]}
      rules={[...(required ? [{ required: true, whitespace: true }] : []), ...(forms[name] ?? [])]}
    >
      {name === 'algorithm' ? (
        <Select options={algorithms.map((value) => ({ value, label: value }))} />
      ) : (
        <Input
          className="mono"
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholders[name] ?? ''}
        />
      )}
    </Form.Item>
  );
}

/** The form of a secret, as the server checks it. White space around a pasted secret is allowed. */
const secretForms = {
  rfc2136: /^\s*(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\s*$/,
  cloudflare: /^\s*[!-~]*\s*$/,
  aliyun: /^\s*[!-~]*\s*$/,
  dnspod: /^\s*[!-~]*\s*$/,
  huawei: /^\s*[!-~]*\s*$/,
  route53: /^\s*[!-~]*\s*$/,
  webhook: /^\s*(?:whsec_[\w+/=-]+)?\s*$/,
} as const;
type SecretKind = keyof typeof secretForms;

interface SecretFieldProps {
  readonly kind: SecretKind;
  readonly required: boolean;
  readonly hasSecret: boolean;
}

function SecretField({ kind, required, hasSecret }: SecretFieldProps) {
  const { t } = useTranslation();
  const label = t(`dnsProviders.secrets.${kind}`);
  const form = kind === 'rfc2136' || kind === 'webhook' ? t(`dnsProviders.secretForms.${kind}`) : undefined;
  return (
    <Form.Item
      name="secret"
      label={kind === 'webhook' ? t('dnsProviders.optional', { label }) : label}
      extra={
        <>
          {form} {t(hasSecret ? 'dnsProviders.secretKept' : 'dnsProviders.secretHint')}
        </>
      }
      rules={[
        ...(required ? [{ required: true, whitespace: true }] : []),
        { pattern: secretForms[kind], message: form ?? t('dnsProviders.secretForm') },
      ]}
    >
      <Input.Password className="mono" maxLength={8000} autoComplete="new-password" />
    </Form.Item>
  );
}

/** The options that this kind has and that are filled in. */
export function optionsOf(kind: ProviderKind, { options = {} }: ProviderValues): Record<string, string> {
  const names: readonly string[] = providerForms[kind].options.map(({ name }) => name);
  const given = names.map((name) => [name, options[name]?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
