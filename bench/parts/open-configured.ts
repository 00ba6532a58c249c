import { type Application, openApplication } from '../../packages/server/src/compose.ts';
import { type Environment, loadSettings } from '../../packages/server/src/config/load-settings.ts';
import { systemClock } from '../../packages/server/src/runtime/clock.ts';
import { createTelemetry } from '../../packages/server/src/runtime/telemetry.ts';
import { version } from '../../packages/server/src/runtime/version.ts';

/** The application on the settings of an environment; its log goes to stderr. @throws Error with every wrong setting. */
export async function openConfigured(environment: Environment): Promise<Application> {
  const loaded = loadSettings(environment);
  if (!loaded.ok) throw new Error(loaded.problems.map(({ name, message }) => `${name} ${message}`).join('\n'));
  const { logLevel, logFormat } = loaded.settings;
  const telemetry = createTelemetry({
    level: logLevel,
    format: logFormat,
    stream: process.stderr,
    clock: systemClock,
    version,
  });
  return openApplication(loaded.settings, systemClock, telemetry);
}
