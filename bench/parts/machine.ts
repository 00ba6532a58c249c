import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { median, shown } from './figures.ts';

const syncs = 100;
const inMemory = 0x01021994;

/** The conditions of the figures: processor, runtime, kernel, and the disk's sync time below `folder`. */
export function describeMachine(folder: string): string[] {
  const processors = cpus();
  const lines = [
    `processor   ${processors[0]?.model.trim()}, ${processors.length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `runtime     Node ${process.versions.node}, Linux ${release()}`,
    `disk        write of 4 KiB and fdatasync: ${shown(syncLatencyMs(folder))} ms (median of ${syncs})`,
  ];
  if (statfsSync(folder).type === inMemory)
    lines.push(`            ${folder} lies in memory: commits cost next to nothing`);
  return lines;
}

export function describeLoad(): string {
  return `load average ${loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')}`;
}

function syncLatencyMs(folder: string): number {
  const path = join(folder, 'sync-latency');
  const file = openSync(path, 'w');
  const block = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: syncs }, () => {
    const startedAt = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
}
