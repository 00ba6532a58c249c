/** What crosses the wire of a push: a GET to the customer's URL with these query parameters, in this order. */
import Type from 'typebox';
import { networkMemos } from './memos.ts';

/** The parameters of a delivery status push. */
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

/** The parameters of an uplink push. */
export const UplinkPush = Type.Object(
  {
    mobile: Type.String({ description: 'The phone number of the user who replied, E.164 with its plus sign.' }),
    message: Type.String({ description: 'The text of the reply.' }),
  },
  { $id: 'UplinkPush', additionalProperties: false },
);
export type UplinkPush = Type.Static<typeof UplinkPush>;

export type PushKind = 'status' | 'uplink';

/** Our parameter names by kind, in the order on the wire. A customer's URL that carries one of them is refused. */
export const pushParameters = {
  status: ['batch_id', 'mobile', 'status', 'memo'],
  uplink: ['mobile', 'message'],
} as const satisfies Record<PushKind, readonly string[]>;

/** Stands in for the reason of a rejection that came without one, since memo is never empty. */
export const NO_REASON = networkMemos.noReason;

/**
 * The raw query string of a delivery status push, without its `?`.
 * @param ownQuery the query of the customer's URL as it is sent, without its `?`; stays in front untouched
 */
export function statusQuery(push: StatusPush, ownQuery = ''): string {
  const query = `batch_id=${encodeValue(push.batch_id)}&mobile=${encodeValue(push.mobile)}&status=${push.status}`;
  if (push.status !== 'REJECTED') return appended(ownQuery, query);
  return appended(ownQuery, `${query}&memo=${encodeValue(push.memo.trim() === '' ? NO_REASON : push.memo)}`);
}

/** The raw query string of an uplink push, without its `?`; `ownQuery` as for `statusQuery`. */
export function uplinkQuery(push: UplinkPush, ownQuery = ''): string {
  return appended(ownQuery, `mobile=${encodeValue(push.mobile)}&message=${encodeValue(push.message)}`);
}

function appended(ownQuery: string, query: string): string {
  if (ownQuery === '') return query;
  return ownQuery.endsWith('&') ? ownQuery + query : `${ownQuery}&${query}`;
}

const unreserved = /^[A-Za-z0-9\-._~]*$/;

/** Percent-encoded UTF-8 with all but the unreserved characters of RFC 3986 §2.3; lone surrogates become U+FFFD. */
function encodeValue(text: string): string {
  if (unreserved.test(text)) return text;
  // encodeURIComponent leaves these five as they are, and throws at a lone surrogate.
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
