/** A push on the wire: a GET to the customer's URL with these query parameters, in this order. */
import Type from 'typebox';
import { networkMemos } from './memos.ts';

export const StatusPush = Type.Union(
  [
    Type.Object(
      {
        batch_id: Type.String({ description: 'The batch_id that the send operation returned.' }),
        mobile: Type.String({ description: 'The phone number, exactly as the customer sent it.' }),
        status: Type.Union([Type.Literal('DELIVRD'), Type.Literal('UNDELIV')]),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        batch_id: Type.String({ description: 'The batch_id that the send operation returned.' }),
        mobile: Type.String({ description: 'The phone number, exactly as the customer sent it.' }),
        status: Type.Literal('REJECTED'),
        memo: Type.String({ minLength: 1, description: 'Why the message was rejected. Never empty.' }),
      },
      { additionalProperties: false },
    ),
  ],
  { $id: 'StatusPush' },
);
export type StatusPush = Type.Static<typeof StatusPush>;

export const UplinkPush = Type.Object(
  {
    mobile: Type.String({ description: 'The phone number of the user who replied, E.164 with its plus sign.' }),
    message: Type.String({ description: 'The text of the reply.' }),
  },
  { $id: 'UplinkPush', additionalProperties: false },
);
export type UplinkPush = Type.Static<typeof UplinkPush>;

export type PushKind = 'status' | 'uplink';

/** The parameter names by kind, in the order on the wire. A customer's URL with one of them is refused. */
export const pushParameters = {
  status: ['batch_id', 'mobile', 'status', 'memo'],
  uplink: ['mobile', 'message'],
} as const satisfies Record<PushKind, readonly string[]>;

/** The memo of a rejection without a reason, since memo is never empty. */
export const NO_REASON = networkMemos.noReason;
