import { cpuMs, type Flood, type Flooded } from '../parts/child-link.ts';

/**
 * A closed load: each caller sends its next event when its former one is done. @param whenDone resolves after the last
 */
export async function flood(
  { events, callers }: Flood,
  make: (event: number) => Promise<unknown>,
  whenDone: () => Promise<void>,
): Promise<Flooded> {
  let next = 0;
  const call = async (): Promise<void> => {
    while (next < events) {
      next += 1;
      await make(next - 1);
    }
  };
  const startedAt = performance.now();
  const cpuBefore = cpuMs();
  await Promise.all(Array.from({ length: callers }, call));
  await whenDone();
  return { ms: performance.now() - startedAt, cpuMs: cpuMs() - cpuBefore };
}
