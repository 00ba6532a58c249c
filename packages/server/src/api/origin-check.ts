import { Problem } from '../runtime/problem.ts';

interface OriginFacts {
  readonly method: string;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site: the browser writes it, pages cannot. */
  readonly fetchSite: string | undefined;
  /** Whether a cookie is the credential. Browsers also send it with requests of foreign pages. */
  readonly byCookie: boolean;
}

/**
 * Refuses a change that a foreign page made a browser send. With a cookie, the request must come from the instance's
 * own pages. Without one it must not come from foreign pages, which could sign a person in as somebody else.
 * @param own the origin of the base URL. @throws Problem `origin_not_allowed`
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
