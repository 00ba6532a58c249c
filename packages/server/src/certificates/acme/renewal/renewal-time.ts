/** Times are epoch milliseconds. */
export interface RenewalWindow {
  readonly start: number;
  readonly end: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Below it a certificate is renewed at half of its lifetime, above it at two thirds. */
const shortLifeMs = 10 * dayMs;

/**
 * How far to either side of that, as a share of the lifetime. Certificates that were issued in one hour would otherwise
 * be renewed in one hour for ever. With an eighth, those of six days spread over 36 hours, and each still has more than
 * two days for further tries.
 */
const spread = 1 / 8;

/**
 * When a certificate is renewed. To be asked once for each version, and again when its window has changed: later in a
 * window the same question has a later answer.
 * @param window as the authority suggests it (ARI, RFC 9773 §4.2); null: it does not
 * @param random from [0, 1), drawn anew for each version
 */
export function renewalTime(
  certificate: { readonly notBefore: number; readonly notAfter: number },
  window: RenewalWindow | null,
  now: number,
  random: number,
): number {
  const { notBefore, notAfter } = certificate;
  // One that ends before the certificate begins would have each new version renewed at once, for ever.
  const isMeant = window !== null && notBefore < window.end && window.end <= notAfter;
  if (isMeant) return within(window, now, random);
  const life = notAfter - notBefore;
  const share = (life < shortLifeMs ? 1 / 2 : 2 / 3) + spread * (2 * random - 1);
  return Math.max(now, Math.round(notBefore + share * life));
}

/**
 * Not before this a version is renewed that a person made the current one: that choice lasts a day, or until a quarter
 * of the lifetime is left.
 */
export function renewalTimeAfterChoice(
  { notBefore, notAfter }: { readonly notBefore: number; readonly notAfter: number },
  chosenAt: number,
): number {
  const latest = Math.round(notAfter - (notAfter - notBefore) / 4);
  return Math.max(chosenAt, Math.min(chosenAt + dayMs, latest));
}

/**
 * Only the part that is left counts. RFC 9773 draws from the whole, and renews at once what falls into its past: all
 * certificates of a window that was moved to now would come together.
 */
function within({ start, end }: RenewalWindow, now: number, random: number): number {
  const from = Math.max(start, now);
  return from >= end ? now : Math.floor(from + (end - from) * random);
}

const shortestPollMs = minuteMs;
const longestPollMs = 6 * hourMs;

/** When the authority is asked for the window again. @param retryAfterMs as it asked for; null: it did not */
export function renewalInfoTime(retryAfterMs: number | null, now: number): number {
  return now + Math.min(Math.max(retryAfterMs ?? longestPollMs, shortestPollMs), longestPollMs);
}
