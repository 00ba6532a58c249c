import type { World } from './world.ts';

const lines = 60;

/** The end of what a world's servers said, for a test that fails. */
export function lastWords(world: World): string {
  return world.log.split('\n').slice(-lines).join('\n');
}
