import type { Application } from '../../compose.ts';
import { countFailedSince, readWaitingFigures } from '../../push/history/waiting-figures.ts';
import { listSettings } from '../../push/settings/push-setting-store.ts';
import { type Check, firstOf, ok, someOf, warn } from './doctor-check.ts';

const dayMs = 86_400_000;
/** Longer than the waits between attempts by default, all together. */
const waitingLongMs = 3_600_000;

/**
 * Whether the receivers of pushes answer. Only the server that pushes to a receiver knows whether it is being probed at the moment. A
 * push that has waited for long is found in the database, whoever looks.
 */
export async function inspectReceivers({ database, messaging, clock }: Application): Promise<readonly Check[]> {
  const name = 'push_receivers';
  const now = clock.now();
  const settings = await listSettings(database.db);
  const waiting = new Map((await readWaitingFigures(database)).map((figure) => [figure.settingId, figure]));
  const failed = await countFailedSince(database, now - dayMs);
  const nameOf = ({ id, kind, url }: (typeof settings)[number]) =>
    `${kind} at ${URL.parse(url)?.host ?? 'an unreadable URL'} (${id})`;

  const silent = settings.flatMap((setting) => {
    const since = waiting.get(setting.id)?.since ?? now;
    const isProbed = messaging.engine.laneStatus(setting.id)?.state === 'probing';
    return isProbed || now - since > waitingLongMs ? [nameOf(setting)] : [];
  });
  const giving = settings.filter(({ id }) => failed.has(id));
  const checks: Check[] = [];
  if (silent.length > 0) {
    const found = { count: silent.length, settings: firstOf(silent) };
    const message = `Receivers that do not answer, or for which pushes have waited over an hour (${silent.length}): ${someOf(silent)}.`;
    const remedy = 'See what an attempt meets by "waxwing push-setting test"; pushes that wait go out when it answers.';
    checks.push(warn(name, 'push_receivers_silent', found, message, remedy));
  }
  if (giving.length > 0) {
    const count = giving.reduce((sum, { id }) => sum + (failed.get(id) ?? 0), 0);
    const names = giving.map(nameOf);
    const message = `Pushes that were given up in the last 24 hours: ${count}, of ${someOf(names)}.`;
    const remedy = 'See why by "waxwing push list", and send them again by "waxwing push resend".';
    checks.push(warn(name, 'pushes_failed', { count, settings: firstOf(names) }, message, remedy));
  }
  if (checks.length > 0) return checks;
  const message = `Receivers that do not answer, or that pushes were given up for: none of ${settings.length}.`;
  return [ok(name, 'push_receivers_answering', { count: settings.length }, message)];
}
