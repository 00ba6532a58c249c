/**
 * Collects tags of cached answers that have become stale, and passes them on to be read again. The first tags are passed
 * on at once. After that there is a pause. Tags that come during it are passed on together at its end.
 */
interface StaleTagThrottle {
  /** Adds tags that have become stale. */
  add(tags: readonly string[]): void;
  /** Stops. Tags that still wait are dropped. */
  end(): void;
}

/** @param run gets the waiting tags, each once */
export function createStaleTagThrottle(pauseMs: number, run: (tags: readonly string[]) => void): StaleTagThrottle {
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function runWaiting(): void {
    timer = undefined;
    if (waiting.size === 0) return;
    const tags = [...waiting];
    waiting.clear();
    timer = setTimeout(runWaiting, pauseMs);
    run(tags);
  }

  return {
    add(tags) {
      for (const tag of tags) waiting.add(tag);
      if (timer === undefined) runWaiting();
    },
    end() {
      clearTimeout(timer);
      timer = undefined;
      waiting.clear();
    },
  };
}
