/**
 * The messages between a service provider and a gateway (CMPP 3.0.0 §8.4; 2.0 §7.4), each with the names of its fields
 * in the standard.
 *
 * Texts are Latin-1, without the NULs behind them. A Msg_Id is a decimal string of an unsigned number of 64 bits
 * (`cmpp-message-id.ts` reads its parts). What only 3.0 has is 0 or empty in 2.0.
 */
export type CmppPdu =
  | CmppConnect
  | CmppConnectResponse
  | CmppSubmit
  | CmppSubmitResponse
  | CmppDeliver
  | CmppDeliverResponse
  | CmppQuery
  | CmppQueryResponse
  | CmppCancel
  | CmppCancelResponse
  | CmppEmpty<'terminate'>
  | CmppEmpty<'terminate_resp'>
  | CmppEmpty<'active_test'>
  | CmppEmpty<'active_test_resp'>;

export type CmppCommand = CmppPdu['command'];
export type CmppPduOf<Command extends CmppCommand> = Extract<CmppPdu, { readonly command: Command }>;

interface Numbered {
  /** Sequence_Id, 32 bits. */
  readonly sequence: number;
}

/** §8.4.1.1 */
export interface CmppConnect extends Numbered {
  readonly command: 'connect';
  /** Source_Addr: the enterprise code, at most 6 octets. */
  readonly sourceAddress: string;
  /** AuthenticatorSource, 16 octets (`cmpp-authenticator.ts`). */
  readonly authenticator: Uint8Array;
  readonly version: number;
  /** MMDDHHMMSS as a number. */
  readonly timestamp: number;
}

/** §8.4.1.2 */
export interface CmppConnectResponse extends Numbered {
  readonly command: 'connect_resp';
  readonly status: number;
  /** AuthenticatorISMG, 16 octets: zeros if the provider was not accepted. */
  readonly authenticator: Uint8Array;
  /** The highest that the gateway supports. */
  readonly version: number;
}

/** §8.4.2, §8.4.7: messages without a body worth reading. */
export interface CmppEmpty<Command extends string> extends Numbered {
  readonly command: Command;
}

/** §8.4.3.1 */
export interface CmppSubmit extends Numbered {
  readonly command: 'submit';
  /** Msg_Id: `0`, since the gateway gives it. */
  readonly messageId: string;
  /** Pk_total, Pk_number: the segments of one message, and which of them this is, from 1. */
  readonly segmentCount: number;
  readonly segmentNumber: number;
  /** Registered_Delivery: 1 asks for a status report. */
  readonly registeredDelivery: number;
  /** Msg_level */
  readonly level: number;
  /** Service_Id, at most 10 octets. */
  readonly serviceId: string;
  /** Fee_UserType: 0 the receiver pays, 1 the sender, 2 the provider, 3 Fee_terminal_Id. */
  readonly feeUserType: number;
  readonly feeTerminalId: string;
  readonly feeTerminalType: number;
  readonly protocolId: number;
  /** TP_udhi: 1 if the content begins with a user data header. */
  readonly userDataHeader: number;
  /** Msg_Fmt (`cmpp-content.ts`). */
  readonly format: number;
  /** Msg_src: the enterprise code, at most 6 octets. */
  readonly messageSource: string;
  /** FeeType, at most 2 octets, and FeeCode, at most 6: how the price is charged, and how high it is. */
  readonly feeType: string;
  readonly feeCode: string;
  /** ValId_Time, At_Time: absolute or relative times of SMPP 3.3, at most 17 octets, or empty. */
  readonly validUntil: string;
  readonly deliverAt: string;
  /** Src_Id: what the phone shows as the sender, at most 21 octets. */
  readonly sourceId: string;
  /** Dest_terminal_Id: 1 to `mostDestinations`. */
  readonly destinations: readonly string[];
  readonly destinationType: number;
  /** Msg_Content, at most 255 octets. */
  readonly content: Uint8Array;
  readonly linkId: string;
}

/** §8.4.3.2 */
export interface CmppSubmitResponse extends Numbered {
  readonly command: 'submit_resp';
  readonly messageId: string;
  readonly result: number;
}

/** §8.4.5.1 */
export interface CmppDeliver extends Numbered {
  readonly command: 'deliver';
  readonly messageId: string;
  /** Dest_Id: the number of the provider, at most 21 octets. */
  readonly destinationId: string;
  readonly serviceId: string;
  readonly protocolId: number;
  readonly userDataHeader: number;
  readonly format: number;
  /** Src_terminal_Id: who wrote the message, or received the one of the status report. */
  readonly sourceTerminalId: string;
  readonly sourceTerminalType: number;
  /** Registered_Delivery: 1 for a status report (`status-report.ts`). */
  readonly registeredDelivery: number;
  readonly content: Uint8Array;
  readonly linkId: string;
}

/** §8.4.5.2 */
export interface CmppDeliverResponse extends Numbered {
  readonly command: 'deliver_resp';
  readonly messageId: string;
  readonly result: number;
}

/** §8.4.4.1 */
export interface CmppQuery extends Numbered {
  readonly command: 'query';
  /** YYYYMMDD */
  readonly day: string;
  /** Query_Type: 0 everything, 1 what has the Service_Id in `queryCode`. */
  readonly queryType: number;
  readonly queryCode: string;
}

/** §8.4.4.2: counts of 32 bits. */
export interface CmppQueryResponse extends Numbered {
  readonly command: 'query_resp';
  readonly day: string;
  readonly queryType: number;
  readonly queryCode: string;
  /** MT_TLMsg, MT_Tlusr, MT_Scs, MT_WT, MT_FL: what the provider sent. */
  readonly submittedMessages: number;
  readonly submittedDestinations: number;
  readonly forwarded: number;
  readonly waiting: number;
  readonly failed: number;
  /** MO_Scs, MO_WT, MO_FL: what was sent to the provider. */
  readonly delivered: number;
  readonly deliveryWaiting: number;
  readonly deliveryFailed: number;
}

/** §8.4.6.1 */
export interface CmppCancel extends Numbered {
  readonly command: 'cancel';
  readonly messageId: string;
}

/** §8.4.6.2 */
export interface CmppCancelResponse extends Numbered {
  readonly command: 'cancel_resp';
  /** Success_Id: 0 if the message was deleted, 1 if not. */
  readonly result: number;
}

/** The standard says fewer than 100; some gateways take 100. */
export const mostDestinations = 100;
