import { type DatabaseOptions, openDatabase } from '../database/open-database.ts';
/**
 * A process for tests to kill: seals notes and rotates master keys endlessly, and reports each step.
 * Arguments: the options of the database as JSON, the key file, a name for its notes.
 */
import { keepNote, startNode } from './instance-world.testing.ts';

const [options = '', file = '', name = ''] = process.argv.slice(2);
const database = await openDatabase(JSON.parse(options) as DatabaseOptions);
const node = await startNode('victim', database, file);

async function sealNotes(): Promise<never> {
  for (let n = 0; ; n += 1) {
    await keepNote(database, node.keys.ring, `${name}.${n}`);
    process.stdout.write(`note ${name}.${n}\n`);
  }
}

async function rotate(): Promise<never> {
  for (;;) process.stdout.write(`key ${(await node.keys.rotate('victim')).keyId}\n`);
}

await Promise.race([sealNotes(), rotate()]);
