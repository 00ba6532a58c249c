import type { SegmentOrder } from './smsc-script.ts';

/** The segments of a text in the order in which they are sent. @param random from 0 to 1 */
export function inOrder<Item>(segments: readonly Item[], order: SegmentOrder, random: () => number): readonly Item[] {
  switch (order) {
    case 'in-order':
      return segments;
    case 'reversed':
      return segments.toReversed();
    case 'shuffled':
      return shuffled(segments, random);
  }
}

/** A new list in an order that is drawn (Fisher and Yates). */
function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as Item, result[last] as Item];
  }
  return result;
}
