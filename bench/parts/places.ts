import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import type { Application } from '../../packages/server/src/compose.ts';
import type { DatabaseKind } from '../../packages/server/src/database/database.ts';
import { startPostgres, type TestPostgres } from '../../packages/server/src/database/postgres/postgres.testing.ts';
import { openConfigured } from './open-configured.ts';

export type Environment = Readonly<Record<string, string>>;

/** The data of a bench's servers: one folder, and a PostgreSQL cluster once needed. */
export interface Places {
  readonly folder: string;
  /** The settings of a server with data of its own. */
  make(name: string, kind: DatabaseKind): Promise<Environment>;
  remove(): Promise<void>;
}

export function openPlaces(): Places {
  const folder = makeFolder();
  let cluster: TestPostgres | undefined;

  async function makePostgres(name: string): Promise<string> {
    cluster ??= await startPostgres();
    const client = new Client({ connectionString: cluster.url });
    await client.connect();
    await client.query(`create database bench_${name}`);
    await client.end();
    const url = new URL(cluster.url);
    url.pathname = `/bench_${name}`;
    return url.href;
  }

  return {
    folder,
    async make(name, kind) {
      const settings = {
        WAXWING_DATA: join(folder, `${name}-${kind}`),
        WAXWING_LISTEN: '127.0.0.1:0',
        WAXWING_LOG_LEVEL: 'warn',
      };
      return kind === 'sqlite' ? settings : { ...settings, WAXWING_DATABASE_URL: await makePostgres(name) };
    },
    async remove() {
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Works on a place before its server starts. */
export async function fill<T>(place: Environment, work: (application: Application) => Promise<T>): Promise<T> {
  const application = await openConfigured(place);
  try {
    return await work(application);
  } finally {
    await application.close();
  }
}

/** In the checkout, because the system's temporary folder often lies in memory. */
function makeFolder(): string {
  const parent = join(dirname(dirname(import.meta.dirname)), '.tmp');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, 'bench-'));
}
