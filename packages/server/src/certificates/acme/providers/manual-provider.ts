import type { DnsProvider } from '../proofs/dns-provider.ts';

/** A person sets the records. The order goes on when they are seen. */
export const manualProvider: DnsProvider = {
  present: async ({ name, value }) => ({ kind: 'done', byHand: `Set by hand: ${name} TXT "${value}"` }),
  cleanUp: async ({ name, value }) => ({ kind: 'done', byHand: `Remove by hand: ${name} TXT "${value}"` }),
  test: async () => ({ kind: 'done', byHand: 'Records are set by hand; nothing can be tried.' }),
};
