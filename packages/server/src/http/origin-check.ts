import { Problem } from '../runtime/problem.ts';

export interface OriginFacts {
  readonly method: string;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site: written by the browser, out of reach of pages. */
  readonly fetchSite: string | undefined;
  /** Whether a cookie decides who asks: a browser adds it also to what a foreign page makes it send. */
  readonly byCookie: boolean;
}

/**
 * Refuses a change that another site's page has made a browser send. Where a cookie decides, the request has to say that
 * it comes from our own pages; without one it only must not say the contrary, so that a foreign page cannot sign
 * somebody in as somebody else.
 * @param own the origin of the base URL
 * @throws Problem `origin_not_allowed`
 */
export function checkOrigin({ method, origin, fetchSite, byCookie }: OriginFacts, own: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  const isOwn = origin === undefined ? fetchSite === 'same-origin' : origin === own;
  const isSilent = origin === undefined && (fetchSite === undefined || fetchSite === 'none');
  if (isOwn || (isSilent && !byCookie)) return;
  throw new Problem('origin_not_allowed', {
    reason: 'foreign_origin',
    parameters: { base_url: own },
    detail: `A change must come from ${own}, the base URL of this instance.`,
  });
}
