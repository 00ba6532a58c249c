import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';

/** Keeps a disk busy: writes a whole file and syncs it, over and over. */
const { file, mebibytes } = workerData as { readonly file: string; readonly mebibytes: number };
const block = Buffer.alloc(2 ** 20, 7);
const handle = openSync(file, 'w');
process.once('exit', () => closeSync(handle));
for (;;) {
  for (let index = 0; index < mebibytes; index += 1) writeSync(handle, block, 0, block.length, index * block.length);
  fsyncSync(handle);
  await setImmediate();
}
