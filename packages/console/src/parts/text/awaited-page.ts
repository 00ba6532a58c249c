/** The page wanted before signing in at the identity provider, whose way back names none. Kept in this tab only. */
const key = 'waxwing.awaited-page';

/** @param next a path of the console; undefined, or the first page, for none in particular */
export function awaitPage(next: string | undefined): void {
  if (next === undefined || /^\/(?:$|[?#])/.test(next)) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, next);
}

/** As `awaitPage`, of the page that is shown; with its fragment, which a one-time link is useless without. */
export function awaitThisPage(): void {
  const { pathname, search, hash } = location;
  awaitPage(pathname.replace(/^\/console/, '') + search + hash);
}

/** Takes the page: a second call gets none. */
export function takeAwaitedPage(): string | undefined {
  const next = sessionStorage.getItem(key) ?? undefined;
  sessionStorage.removeItem(key);
  return next;
}
