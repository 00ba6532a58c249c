const keys = { 'http-01': 'http', 'tls-alpn-01': 'tls', 'dns-01': 'dns' } as const;

/** Of the texts of a challenge. */
export function challengeKey(kind: keyof typeof keys) {
  return keys[kind];
}
