import { useState } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';

/** Long work of the server whose answer this page does not get. */
interface FollowedWork {
  /** Somebody else has asked for it, or the answer was lost on the way (proxies wait for a minute). */
  readonly isFollowing: boolean;
  /** The work has ended; a new request gets its result. */
  readonly hasEnded: boolean;
  /** The work was requested again. */
  begin(): void;
  /** Takes what the server reports. */
  told(isUnderWay: boolean): void;
}

/**
 * @param error of having asked for it
 * @param reason of the conflict that it is under way already, otherwise asked for
 * @param askAgain what is asked for while it is under way is answered when it ends
 */
export function useFollowedWork(error: ApiProblem | null, reason: string, askAgain: () => void): FollowedWork {
  const [hasEnded, setEnded] = useState(false);
  const isLost = error?.code === 'unreachable';
  return {
    isFollowing: !hasEnded && (isLost || error?.reason === reason),
    hasEnded: hasEnded && error !== null,
    begin: () => setEnded(false),
    told(isUnderWay) {
      if (!isUnderWay) setEnded(true);
      else if (isLost) askAgain();
    },
  };
}
