/**
 * The same text in one piece of memory. What is put together or cut out of others is, inside V8, held by way of these, and keeps them
 * in memory: an entity tag five objects instead of one, which lie where the processor has to wait for each.
 */
export function ownText(text: string): string {
  return Buffer.from(text).toString();
}
