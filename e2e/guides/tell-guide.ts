import { test } from 'node:test';
import { makeWorld, type World } from '../world.ts';
import { makeClone, openShell, type ShellSession } from './shell-session.ts';

/** Runs a story on its own server, with a shell in its folder, where the guides' commands work as in a clone. */
export function tellGuide(
  name: string,
  story: (world: World, shell: ShellSession) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): void {
  test(name, async () => {
    const world = await makeWorld('sqlite', settings);
    makeClone(world.folder);
    const shell = openShell(world.folder);
    try {
      await world.start();
      await story(world, shell);
    } finally {
      await shell.close();
      await world.end();
    }
  });
}
