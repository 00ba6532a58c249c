import type { Settings } from '../config/settings.ts';
import { systemClock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { LocalCommand } from './command.ts';
import { askServer } from './control-client.ts';
import { controlSocketPath } from './control-protocol.ts';
import { takeDataLockOrRefuse } from './data-lock.ts';
import { settingsOrRefusal } from './local-settings.ts';
import { makeFolder } from './person-files.ts';
import { quietTelemetry } from './run-at-database.ts';
import type { Terminal } from './terminal.ts';

interface Migrated {
  readonly from: number;
  readonly to: number;
  readonly steps: readonly { readonly id: number; readonly name: string }[];
}

export const migrateDatabase: LocalCommand<Migrated> = {
  name: 'migrate',
  summary: 'Bring the database up to the schema of this version, making it where there is none',
  notes: 'A starting server does the same by itself; this is for those who want it done before.',
  async execute(_args, { terminal, envFile }) {
    const settings = settingsOrRefusal(terminal, envFile);
    if (settings.databaseUrl !== undefined) return takeSteps(settings, terminal);
    if ((await askServer(controlSocketPath(settings.data), { method: 'GET', path: '/status' })) !== undefined) {
      throw new Problem('conflict', { detail: 'A server runs on this database, and has migrated it when it started.' });
    }
    process.umask(0o077);
    makeFolder('WAXWING_DATA', settings.data);
    const lock = await takeDataLockOrRefuse(settings);
    try {
      return await takeSteps(settings, terminal);
    } finally {
      lock.release();
    }
  },
  print: ({ to, steps }) =>
    steps.length === 0
      ? `The database has schema ${to} already; nothing to do.`
      : [`The database has schema ${to} now. Steps taken:`, ...steps.map(({ id, name }) => `  ${id} ${name}`)].join(
          '\n',
        ),
};

async function takeSteps(settings: Settings, terminal: Terminal): Promise<Migrated> {
  const { connect } = await import('../compose.ts');
  const { migrate, readSchema } = await import('../database/migrate.ts');
  const database = await connect(settings, await quietTelemetry(terminal));
  try {
    const before = await readSchema(database);
    const steps = await migrate(database, { clock: systemClock });
    const after = await readSchema(database);
    return { from: before.current, to: after.current, steps: steps.map(({ id, name }) => ({ id, name })) };
  } finally {
    await database.close();
  }
}
