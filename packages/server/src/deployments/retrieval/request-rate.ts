/** Requests a minute of deployments that have a limit, in fixed windows. Bounded by the number of such deployments. */
export interface RequestRate {
  /**
   * Takes one request.
   * @param limit requests a minute; null: unlimited, nothing is remembered
   * @param now milliseconds that never run backwards
   * @returns undefined while within the limit, else the whole seconds (at least 1) after which to come again
   */
  take(deploymentId: string, limit: number | null, now: number): number | undefined;
}

const windowMs = 60_000;

export function createRequestRate(maxDeployments: number): RequestRate {
  const windows = new Map<string, { readonly endsAt: number; taken: number }>();
  return {
    take(deploymentId, limit, now) {
      if (limit === null) return undefined;
      let window = windows.get(deploymentId);
      if (window === undefined || window.endsAt <= now) {
        windows.delete(deploymentId);
        const oldest = windows.size >= maxDeployments ? windows.keys().next().value : undefined;
        if (oldest !== undefined) windows.delete(oldest);
        window = { endsAt: now + windowMs, taken: 0 };
        windows.set(deploymentId, window);
      }
      if (window.taken >= limit) return Math.max(1, Math.ceil((window.endsAt - now) / 1000));
      window.taken += 1;
      return undefined;
    },
  };
}
