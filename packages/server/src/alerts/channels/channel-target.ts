import type { AlertChannelRow } from '../../database/schema/alert-tables.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { ChannelTarget } from '../senders/notice.ts';
import { recipientsOf } from './alert-channel.ts';
import { openChannel } from './sealed-alert-channels.ts';

/** A channel as senders take it. @throws SealError when its URL does not open */
export function targetOf(ring: KeyRing, row: AlertChannelRow): ChannelTarget {
  const secrets = openChannel(ring, row);
  return {
    kind: row.kind,
    to: recipientsOf(row),
    ...(secrets !== undefined && { url: secrets.url }),
    ...(secrets?.secret !== undefined && { secret: secrets.secret }),
  };
}
