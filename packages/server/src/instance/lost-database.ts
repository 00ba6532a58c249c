import { Problem } from '../runtime/problem.ts';

/**
 * A master key is in use, but its database is missing: a disk that is not mounted, or a wrong setting. An empty
 * instance in its place would answer 401 to every server and look healthy.
 */
export class LostDatabase extends Problem {
  readonly fault: string;
  readonly remedy: string;

  constructor(masterKeyFile: string) {
    const fault = `There is no database, or an empty one, but a master key in ${masterKeyFile}. If this instance is not new, its database is elsewhere.`;
    const remedy =
      'Mount its disk, correct WAXWING_DATA or WAXWING_DATABASE_URL, or restore your last backup; ' +
      '"waxwing migrate --new" begins a new instance with that key.';
    super('conflict', { field: 'WAXWING_MASTER_KEY_FILE', detail: `${fault} ${remedy}` });
    this.fault = fault;
    this.remedy = remedy;
  }
}
