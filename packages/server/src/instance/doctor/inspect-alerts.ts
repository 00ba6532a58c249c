import type { Application } from '../../compose.ts';
import { type Check, firstOf, ok, someOf, warn } from './doctor-check.ts';

/** More than there may be of the instance; of organizations the first ones are looked at. */
const most = 10_000;

const name = 'alerts';

/** Whether alerts reach anybody. */
export async function inspectAlerts({ alerts, settings }: Application): Promise<readonly Check[]> {
  const channels = await alerts.channels.list(undefined, { take: most, after: undefined });
  const enabled = channels.filter((channel) => channel.enabled);
  const found: Check[] = [];
  if (!enabled.some(({ organization_id }) => organization_id === null)) {
    const message =
      'The instance has no enabled alert channel: nobody hears of its disk, backups and clock, or of organizations without a channel.';
    const remedy = 'Make one by "waxwing alert-channel create --instance", and try it by "waxwing alert-channel test".';
    found.push(warn(name, 'alert_channel_missing', {}, message, remedy));
  }
  const named = (some: typeof enabled) => some.map((each) => `${each.name} (${each.id})`);
  const mails = named(enabled.filter(({ kind }) => kind === 'email'));
  if (mails.length > 0 && (settings.smtpUrl === undefined || settings.mailFrom === undefined)) {
    const message = `No mail server is set, so these alert channels reach nobody (${mails.length}): ${someOf(mails)}.`;
    const remedy = 'Set WAXWING_SMTP_URL and WAXWING_MAIL_FROM.';
    found.push(
      warn(name, 'alert_mail_server_missing', { count: mails.length, channels: firstOf(mails) }, message, remedy),
    );
  }
  const failing = named(enabled.filter(({ last_error }) => last_error !== null));
  if (failing.length > 0) {
    const parameters = { count: failing.length, channels: firstOf(failing) };
    const message = `Alert channels whose latest delivery was not accepted (${failing.length}): ${someOf(failing)}.`;
    const remedy = 'See what the receiver says by "waxwing alert-channel test"; "waxwing alert list" shows what waits.';
    found.push(warn(name, 'alert_channels_failing', parameters, message, remedy));
  }
  if (found.length > 0) return found;
  const message = `Enabled alert channels, of which none refused its latest alerts: ${enabled.length}.`;
  return [ok(name, 'alerts_arriving', { count: enabled.length }, message)];
}
