import { test } from 'node:test';
import { makeClone, openShell, type ShellSession } from './shell-session.ts';
import { makeWorld, type World } from './world.ts';

/** Runs a story on a server of its own, with a shell in its folder, in which the guides' commands work as in a clone. */
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
