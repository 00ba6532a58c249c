import type { Application } from '../../compose.ts';
import { type Check, firstOf, ok, someOf, warn } from './doctor-check.ts';

/** More than there may be of the instance; of organizations the first ones are looked at. */
const most = 10_000;

/** Whether alerts reach anybody. */
export async function inspectAlerts({ alerts }: Application): Promise<Check> {
  const name = 'alerts';
  const channels = await alerts.channels.list(undefined, { take: most, after: undefined });
  const enabled = channels.filter((channel) => channel.enabled);
  if (!enabled.some(({ organization_id }) => organization_id === null)) {
    const message =
      'The instance has no enabled alert channel: nobody hears of its disk, backups and clock, or of organizations without a channel.';
    const remedy = 'Make one by "waxwing alert-channel create --instance", and try it by "waxwing alert-channel test".';
    return warn(name, 'alert_channel_missing', {}, message, remedy);
  }
  const failing = enabled.filter(({ last_error }) => last_error !== null).map((each) => `${each.name} (${each.id})`);
  if (failing.length > 0) {
    const found = { count: failing.length, channels: firstOf(failing) };
    const message = `Alert channels whose latest delivery was not accepted (${failing.length}): ${someOf(failing)}.`;
    const remedy = 'See what the receiver says by "waxwing alert-channel test"; "waxwing alert list" shows what waits.';
    return warn(name, 'alert_channels_failing', found, message, remedy);
  }
  const message = `Enabled alert channels, of which none refused its latest alerts: ${enabled.length}.`;
  return ok(name, 'alerts_arriving', { count: enabled.length }, message);
}
