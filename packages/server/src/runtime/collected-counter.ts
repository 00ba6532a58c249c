import { Counter, type Registry } from 'prom-client';

/**
 * A counter with labels. Counts are collected here, and added to the counter when the metrics are read. Looking up the
 * values of labels takes most of a microsecond, which is too much for each request and each push.
 * @returns counts one event, by the values of the labels in their order
 */
export function createCollectedCounter<Label extends string>(
  registry: Registry,
  described: { readonly name: string; readonly help: string; readonly labelNames: Label[] },
): (...values: string[]) => void {
  const { labelNames } = described;
  const counts = new Map<string, number>();
  new Counter({
    ...described,
    registers: [registry],
    collect() {
      for (const [key, count] of counts) {
        const values = key.split('\0');
        const labels = labelNames.map((label, index) => [label, values[index] ?? '']);
        this.inc(Object.fromEntries(labels) as Record<Label, string>, count);
      }
      counts.clear();
    },
  });
  return (...values) => {
    const key = values.join('\0');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
}
