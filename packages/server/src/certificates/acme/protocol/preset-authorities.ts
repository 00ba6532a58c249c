/** An authority that can be chosen by its name. */
export interface AuthorityPreset {
  readonly name: string;
  readonly directoryUrl: string;
  /** Whether an account needs an external account binding: a key that the authority gives its customer. */
  readonly needsExternalAccount: boolean;
}

export const authorityPresets = {
  letsencrypt: {
    name: "Let's Encrypt",
    directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
    needsExternalAccount: false,
  },
  'letsencrypt-staging': {
    name: "Let's Encrypt (staging)",
    directoryUrl: 'https://acme-staging-v02.api.letsencrypt.org/directory',
    needsExternalAccount: false,
  },
  zerossl: { name: 'ZeroSSL', directoryUrl: 'https://acme.zerossl.com/v2/DV90', needsExternalAccount: true },
  google: {
    name: 'Google Trust Services',
    directoryUrl: 'https://dv.acme-v02.api.pki.goog/directory',
    needsExternalAccount: true,
  },
  // For EC keys, the default here. That for RSA keys ends in `-rsa`.
  sslcom: { name: 'SSL.com', directoryUrl: 'https://acme.ssl.com/sslcom-dv-ecc', needsExternalAccount: true },
} as const satisfies Readonly<Record<string, AuthorityPreset>>;

export type AuthorityPresetName = keyof typeof authorityPresets;
