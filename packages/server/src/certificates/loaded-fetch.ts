import type { FetchIssuer } from '@waxwing/pki/complete-chain.ts';

/** Asks for certificates of issuers, and holds connections. */
export interface IssuerFetching {
  readonly fetch: FetchIssuer;
  close(): void;
}

/** Only few imports fetch anything: `load` runs with the first request, and again with the next one if it has failed. */
export function fetchesWhenLoaded(load: () => Promise<IssuerFetching>) {
  let loading: Promise<IssuerFetching> | undefined;
  function loaded(): Promise<IssuerFetching> {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }
  const fetch: FetchIssuer = async (url, limits) => (await loaded()).fetch(url, limits);
  return {
    fetch,
    async close(): Promise<void> {
      const fetching = await loading?.catch(() => undefined);
      fetching?.close();
    },
  };
}
