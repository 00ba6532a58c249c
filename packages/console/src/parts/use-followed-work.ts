import { useCallback, useState } from 'react';
import type { ApiProblem } from '../api/api-problem.ts';

/** Long work of the server whose answer does not come here. */
export interface FollowedWork {
  /** Somebody else has asked for it, or the answer was lost on the way (a proxy waits for a minute): it goes on there. */
  readonly isFollowing: boolean;
  /** It is not under way any more; what it found is told to whoever asks anew. */
  readonly hasEnded: boolean;
  /** It is asked for anew. */
  begin(): void;
  end(): void;
}

/** @param error of having asked for it. @param reason of the conflict that it is under way already */
export function useFollowedWork(error: ApiProblem | null, reason: string): FollowedWork {
  const [hasEnded, setEnded] = useState(false);
  return {
    isFollowing: !hasEnded && (error?.reason === reason || error?.code === 'unreachable'),
    hasEnded: hasEnded && error !== null,
    begin: () => setEnded(false),
    end: useCallback(() => setEnded(true), []),
  };
}
