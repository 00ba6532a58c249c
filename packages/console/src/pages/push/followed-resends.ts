import type { ResendProgress } from '../../api/shown-pushes.ts';

/** A re-send as this page has seen it. Pure. */
export interface FollowedResend extends Pick<ResendProgress, 'id' | 'setting_id' | 'states' | 'moved' | 'created_at'> {
  /** What is left to move; null where it ended before it was ever seen under way. */
  readonly left: number | null;
  readonly isEnded: boolean;
}

/** The server names only re-sends under way. One that it no longer names has ended. */
export function followResends(
  known: readonly FollowedResend[],
  underWay: readonly ResendProgress[],
): readonly FollowedResend[] {
  const running = new Map(underWay.map((resend) => [resend.id, resend]));
  const seen = known.map((resend) => {
    const now = running.get(resend.id);
    if (now !== undefined) return { ...now, isEnded: false };
    if (resend.isEnded) return resend;
    // It ends with moving what was left when it was last seen.
    return { ...resend, moved: resend.moved + (resend.left ?? 0), left: 0, isEnded: true };
  });
  const added = underWay.filter(({ id }) => !known.some((resend) => resend.id === id));
  return [...seen, ...added.map((resend) => ({ ...resend, isEnded: false }))];
}
