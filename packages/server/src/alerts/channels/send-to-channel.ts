import type { AlertChannelRow } from '../../database/schema/alert-tables.ts';
import { SealError } from '../../secrets/envelope.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { type Notice, refused, type SendResult } from '../senders/notice.ts';
import type { SendNotices } from '../senders/send-notice.ts';
import { targetOf } from './channel-target.ts';

/** A URL that does not open is a refusal. @param deliveryId as of `SendNotices` */
export async function sendToChannel(
  { ring, send }: { readonly ring: () => KeyRing; readonly send: SendNotices },
  channel: AlertChannelRow,
  notices: readonly Notice[],
  deliveryId: string,
  signal: AbortSignal,
): Promise<SendResult> {
  try {
    return await send(targetOf(ring(), channel), notices, deliveryId, signal);
  } catch (error) {
    if (error instanceof SealError) return refused(`Its URL cannot be opened: ${error.message}`);
    throw error;
  }
}
