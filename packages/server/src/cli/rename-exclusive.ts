import { link, open, rename, rm } from 'node:fs/promises';
import { codeOf } from './person-files.ts';

/** What file systems without hard links say: FAT, most shares of other machines, some that a program provides. */
const withoutLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Gives a whole file beside `file` that name, and never replaces what is there. The former name may go on to be there: the caller
 * removes it.
 * @throws the system's error, with EEXIST where the name is taken
 */
export async function renameExclusive(whole: string, file: string, linkFile: typeof link = link): Promise<void> {
  try {
    // Unlike rename, link never replaces what is there.
    await linkFile(whole, file);
  } catch (error) {
    if (!withoutLinks.has(codeOf(error))) throw error;
    await renameOntoOwn(whole, file);
  }
}

/** Takes the name by an empty file first, which nobody else can have made, and replaces that: no half of a file ever has the name. */
async function renameOntoOwn(whole: string, file: string): Promise<void> {
  await (await open(file, 'wx', 0o600)).close();
  try {
    await rename(whole, file);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}
