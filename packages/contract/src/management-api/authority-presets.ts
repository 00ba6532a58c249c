/** Authorities that can be chosen by name, with their directories. */
interface AuthorityPreset {
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
  // SSL.com has a directory for each kind of key of the certificates. A request's key is of elliptic curves unless it
  // names another kind, so the plain name is that of those.
  sslcom: {
    name: 'SSL.com (EC keys)',
    directoryUrl: 'https://acme.ssl.com/sslcom-dv-ecc',
    needsExternalAccount: true,
  },
  'sslcom-rsa': {
    name: 'SSL.com (RSA keys)',
    directoryUrl: 'https://acme.ssl.com/sslcom-dv-rsa',
    needsExternalAccount: true,
  },
} as const satisfies Readonly<Record<string, AuthorityPreset>>;

export type AuthorityPresetName = keyof typeof authorityPresets;

export const authorityPresetNames = Object.keys(authorityPresets) as AuthorityPresetName[];
