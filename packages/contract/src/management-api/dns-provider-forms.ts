/** What each kind of DNS provider must be told: the server checks it, and the console asks for it. */

interface ProviderOption {
  readonly name: string;
  readonly required: boolean;
  /** One sentence, for refusals. The console has texts of its own. */
  readonly about: string;
}

export interface ProviderForm {
  readonly options: readonly ProviderOption[];
  readonly secret: 'required' | 'optional' | 'none';
  /** What the secret is; empty where there is none. */
  readonly aboutSecret: string;
}

const keyId = { name: 'key-id', required: true, about: 'The id of the access key.' } as const;

/** The kinds of DNS providers, and what each must be told. */
export const providerForms = {
  rfc2136: {
    options: [
      { name: 'server', required: true, about: 'The primary name server, as HOST:PORT.' },
      { name: 'zone', required: true, about: 'The zone that takes updates.' },
      { name: 'key-name', required: true, about: 'The name of the TSIG key.' },
      { name: 'algorithm', required: false, about: 'hmac-sha256 (default), hmac-sha384 or hmac-sha512.' },
    ],
    secret: 'required',
    aboutSecret: 'The TSIG key in base64.',
  },
  cloudflare: {
    options: [],
    secret: 'required',
    aboutSecret: 'An API token with the permissions Zone:Read and DNS:Edit.',
  },
  aliyun: { options: [keyId], secret: 'required', aboutSecret: 'The AccessKey secret.' },
  dnspod: { options: [keyId], secret: 'required', aboutSecret: 'The SecretKey of Tencent Cloud.' },
  huawei: {
    options: [keyId, { name: 'region', required: false, about: 'The region of the endpoint; cn-north-4 by default.' }],
    secret: 'required',
    aboutSecret: 'The secret access key (SK).',
  },
  route53: { options: [keyId], secret: 'required', aboutSecret: 'The secret access key.' },
  webhook: {
    options: [
      {
        name: 'url',
        required: true,
        about:
          'Where requests are posted: no query and no user name, because everybody who may see the provider sees it.',
      },
    ],
    secret: 'optional',
    aboutSecret: 'The secret that signs requests: whsec_ and the base64 of 24 to 64 bytes.',
  },
  manual: { options: [], secret: 'none', aboutSecret: '' },
} as const satisfies Readonly<Record<string, ProviderForm>>;

export type ProviderKind = keyof typeof providerForms;

export const providerKinds = Object.keys(providerForms) as ProviderKind[];
