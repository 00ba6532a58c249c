import type { Settings } from '../../config/settings.ts';
import type { Database } from '../../database/database.ts';
import { systemClock } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import type { LocalCommand } from '../command.ts';
import { takeDataLockOrRefuse } from '../exchange/data-lock.ts';
import { quietTelemetry } from '../exchange/inline-exchange.ts';
import { askStatus } from '../exchange/socket-exchange.ts';
import { controlSocketPath } from '../exchange/socket-path.ts';
import { settingsOrRefusal } from '../local-settings.ts';
import { makeFolder } from '../person-files.ts';
import type { Terminal } from '../terminal.ts';

interface Migrated {
  readonly from: number;
  readonly to: number;
  readonly steps: readonly { readonly id: number; readonly name: string }[];
}

export const migrateDatabase: LocalCommand<Migrated> = {
  name: 'migrate',
  summary: 'Bring the database up to the schema of this version, or make a new one',
  options: {
    new: { type: 'boolean', help: 'Begin a new instance with the master key that is there; without one it is made' },
  },
  notes:
    'A starting server does the same; this command does it before. Where there is a master key, but no\n' +
    'database or an empty one, both are refused: the database may be elsewhere.',
  async execute(args, { terminal, envFile }) {
    const settings = settingsOrRefusal(terminal, envFile);
    const isNew = args.flag('new');
    if (settings.databaseUrl !== undefined) return takeSteps(settings, terminal, isNew);
    if ((await askStatus(controlSocketPath(settings.data))) !== undefined) {
      throw new Problem('conflict', { detail: 'A server runs on this database, and has migrated it when it started.' });
    }
    process.umask(0o077);
    makeFolder('WAXWING_DATA', settings.data);
    const lock = await takeDataLockOrRefuse(settings);
    try {
      return await takeSteps(settings, terminal, isNew);
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

async function takeSteps(settings: Settings, terminal: Terminal, isNew: boolean): Promise<Migrated> {
  const { connect, connectToUse } = await import('../../compose.ts');
  const { migrate, readSchema } = await import('../../database/migrate.ts');
  const { openMasterKeys } = await import('../../instance/master-keys.ts');
  const database = await (isNew ? connect : connectToUse)(settings, await quietTelemetry(terminal));
  try {
    const before = await readSchema(database);
    if (isNew && before.current > 0) await refuseInstance(database);
    const steps = await migrate(database, { clock: systemClock });
    const after = await readSchema(database);
    if (isNew) await openMasterKeys({ database, file: settings.masterKeyFile, clock: systemClock, isNew });
    return { from: before.current, to: after.current, steps: steps.map(({ id, name }) => ({ id, name })) };
  } finally {
    await database.close();
  }
}

/** @throws Problem `conflict` where a first start has come to its key; what was interrupted before that is no instance yet */
async function refuseInstance(database: Database): Promise<void> {
  const { listMasterKeys } = await import('../../instance/instance-store.ts');
  const [key] = await listMasterKeys(database.db);
  if (key === undefined) return;
  const detail = `This database holds an instance already, whose master key is ${key.id}. Nothing was changed; without --new it is migrated.`;
  throw new Problem('conflict', { field: 'new', detail });
}
