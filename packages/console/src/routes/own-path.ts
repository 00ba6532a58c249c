/** Accepts only paths of the console: signing in must not lead elsewhere. */
export function ownPath(next: unknown): { next?: string } {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}
