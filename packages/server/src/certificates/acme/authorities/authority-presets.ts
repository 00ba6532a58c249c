/** Directories of public authorities. */
export const presets = {
  letsencrypt: 'https://acme-v02.api.letsencrypt.org/directory',
  'letsencrypt-staging': 'https://acme-staging-v02.api.letsencrypt.org/directory',
  zerossl: 'https://acme.zerossl.com/v2/DV90',
  google: 'https://dv.acme-v02.api.pki.goog/directory',
  sslcom: 'https://acme.ssl.com/sslcom-dv-ecc',
} as const;
export type AuthorityPreset = keyof typeof presets;
