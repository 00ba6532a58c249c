import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A disk of a test's own, in memory. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves not a byte free. */
  fill(): void;
  grow(kibibytes: number): void;
  makeReadOnly(): void;
  makeWritable(): void;
}

/** Why a test cannot have a disk of its own, or false. */
export const withoutSmallDisks: string | false = reasonAgainst();

function reasonAgainst(): string | false {
  if (process.platform !== 'linux') return 'a full or read-only disk needs tmpfs, which only Linux has';
  if (process.getuid?.() !== 0) return 'a full or read-only disk needs a mount, which only root may make';
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-disk-'));
  const mounted = mount(['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
  if (mounted) unmount(folder);
  rmSync(folder, { recursive: true });
  return mounted ? false : 'a full or read-only disk needs a mount, which is not allowed here';
}

/** A disk of so many KiB that is gone when the test ends. */
export function smallDisk(context: TestContext, kibibytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-disk-'));
  mustMount(['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', folder]);
  context.after(() => {
    unmount(folder);
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    fill() {
      try {
        for (let part = 0; ; part += 1) writeFileSync(join(folder, `filling-${part}`), Buffer.alloc(4096));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    grow: (larger) => mustMount(['-o', `remount,size=${larger}k`, folder]),
    makeReadOnly: () => mustMount(['-o', 'remount,ro', folder]),
    makeWritable: () => mustMount(['-o', 'remount,rw', folder]),
  };
}

function mustMount(args: readonly string[]): void {
  if (!mount(args)) throw new Error(`mount ${args.join(' ')} failed`);
}

function mount(args: readonly string[]): boolean {
  return spawnSync('mount', args, { stdio: 'ignore' }).status === 0;
}

/** Lazily: a process that a failed test left behind may still hold a file. */
function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder], { stdio: 'ignore' });
}
