import type { World } from '../world.ts';

const lines = 60;

/** The end of the servers' output, for a failing test. */
export function lastWords(world: World): string {
  return world.log.split('\n').slice(-lines).join('\n');
}
