/**
 * Runs a request at once, and then at most once in every pause. Requests during a pause run together at its end.
 */
interface StalePace {
  ask(tags: readonly string[]): void;
  end(): void;
}

/** @param run told the tags, each once */
export function createStalePace(pauseMs: number, run: (tags: readonly string[]) => void): StalePace {
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
    ask(tags) {
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
