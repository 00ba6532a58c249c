import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Application, openApplication } from '../compose.ts';
import { loadSettings } from '../config/load-settings.ts';
import type { DatabaseKind } from '../database/database.ts';
import { freshDatabase } from '../database/testing.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { createTelemetry, type Telemetry } from '../runtime/telemetry.ts';

/** Logs nothing. */
export function silentTelemetry(clock: Clock = systemClock): Telemetry {
  const stream = { write: () => true };
  return createTelemetry({ level: 'silent', format: 'json', stream, clock, version: 'test' });
}

/** Opens the whole application on a data folder and a database of its own, again and again as after a restart. */
export async function applicationOn(
  t: TestContext,
  kind: DatabaseKind,
  environment: Readonly<Record<string, string>> = {},
): Promise<(clock?: Clock) => Promise<Application>> {
  const fresh = kind === 'postgres' ? await freshDatabase(kind) : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-application-'));
  const opened: Application[] = [];
  t.after(async () => {
    for (const application of opened) await application.close();
    await fresh?.close();
    rmSync(folder, { recursive: true });
  });
  const loaded = loadSettings({
    ...environment,
    WAXWING_DATA: folder,
    ...(fresh?.options.kind === 'postgres' ? { WAXWING_DATABASE_URL: fresh.options.url } : {}),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return async (clock = systemClock) => {
    for (const application of opened.splice(0)) await application.close();
    const application = await openApplication(loaded.settings, clock, silentTelemetry(clock));
    opened.push(application);
    return application;
  };
}
