const MAXIMUM = 300;

/**
 * The words of a receiver, as they may be kept and shown: in one line, without control characters and the secrets that it
 * may have repeated, and cut.
 */
export function receiverWords(text: string, secrets: readonly string[]): string {
  const known = secrets.filter(isSecret).sort((one, other) => other.length - one.length);
  let words = text;
  for (const secret of known) words = words.replaceAll(secret, '***');
  words = words.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const characters = [...words];
  return characters.length <= MAXIMUM ? words : `${characters.slice(0, MAXIMUM - 1).join('')}…`;
}

/** A shorter text stands in ordinary words too, and is not treated as a secret. */
const SHORTEST = 6;

function isSecret(text: string): boolean {
  return text.length >= SHORTEST || /^\/./.test(text);
}

/** Everything in a URL that may be a secret: its path, long steps of it, its query, and what that holds. */
export function urlSecrets(text: string): readonly string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const steps = url.pathname.split('/').filter((step) => step.length >= LONG_STEP);
  const paths = [url.pathname, decoded(url.pathname)].filter((path) => path !== '/');
  return [text, url.href, ...paths, url.search, url.search.slice(1), ...url.searchParams.values(), ...steps];
}

const LONG_STEP = 16;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
