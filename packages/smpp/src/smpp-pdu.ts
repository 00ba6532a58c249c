/** The PDUs of SMPP 3.4 (issue 1.2), told apart by `command`. */
import type { SessionPdu } from '@waxwing/carrier-session/session-protocol.ts';
import type { BindBody, BindRespBody, OutbindBody } from './bind-body.ts';
import type { CommandName } from './command-id.ts';
import type { AlertNotificationBody, DataSmBody } from './data-sm-body.ts';
import type { MessageIdBody, ShortMessageBody } from './short-message-body.ts';
import type { CancelSmBody, QuerySmBody, QuerySmRespBody, ReplaceSmBody } from './stored-message-body.ts';
import type { SubmitMultiBody, SubmitMultiRespBody } from './submit-multi-body.ts';
import type { Tlv } from './tlv.ts';

interface Pdu<Command extends CommandName> extends SessionPdu {
  readonly command: Command;
  /** command_status; 0 in requests. */
  readonly status: number;
  /** Known and unknown ones, in their order. Of a decoded PDU, values are views of its octets. */
  readonly tlvs: readonly Tlv[];
}

export interface BindTransmitter extends Pdu<'bind_transmitter'>, BindBody {}
export interface BindReceiver extends Pdu<'bind_receiver'>, BindBody {}
export interface BindTransceiver extends Pdu<'bind_transceiver'>, BindBody {}
export interface BindTransmitterResp extends Pdu<'bind_transmitter_resp'>, BindRespBody {}
export interface BindReceiverResp extends Pdu<'bind_receiver_resp'>, BindRespBody {}
export interface BindTransceiverResp extends Pdu<'bind_transceiver_resp'>, BindRespBody {}
export interface Outbind extends Pdu<'outbind'>, OutbindBody {}
export interface Unbind extends Pdu<'unbind'> {}
export interface UnbindResp extends Pdu<'unbind_resp'> {}
export interface GenericNack extends Pdu<'generic_nack'> {}
export interface EnquireLink extends Pdu<'enquire_link'> {}
export interface EnquireLinkResp extends Pdu<'enquire_link_resp'> {}
export interface SubmitSm extends Pdu<'submit_sm'>, ShortMessageBody {}
export interface SubmitSmResp extends Pdu<'submit_sm_resp'>, MessageIdBody {}
export interface SubmitMulti extends Pdu<'submit_multi'>, SubmitMultiBody {}
export interface SubmitMultiResp extends Pdu<'submit_multi_resp'>, SubmitMultiRespBody {}
export interface DeliverSm extends Pdu<'deliver_sm'>, ShortMessageBody {}
export interface DeliverSmResp extends Pdu<'deliver_sm_resp'>, MessageIdBody {}
export interface DataSm extends Pdu<'data_sm'>, DataSmBody {}
export interface DataSmResp extends Pdu<'data_sm_resp'>, MessageIdBody {}
export interface QuerySm extends Pdu<'query_sm'>, QuerySmBody {}
export interface QuerySmResp extends Pdu<'query_sm_resp'>, QuerySmRespBody {}
export interface CancelSm extends Pdu<'cancel_sm'>, CancelSmBody {}
export interface CancelSmResp extends Pdu<'cancel_sm_resp'> {}
export interface ReplaceSm extends Pdu<'replace_sm'>, ReplaceSmBody {}
export interface ReplaceSmResp extends Pdu<'replace_sm_resp'> {}
export interface AlertNotification extends Pdu<'alert_notification'>, AlertNotificationBody {}

export type SmppPdu =
  | BindTransmitter
  | BindReceiver
  | BindTransceiver
  | BindTransmitterResp
  | BindReceiverResp
  | BindTransceiverResp
  | Outbind
  | Unbind
  | UnbindResp
  | GenericNack
  | EnquireLink
  | EnquireLinkResp
  | SubmitSm
  | SubmitSmResp
  | SubmitMulti
  | SubmitMultiResp
  | DeliverSm
  | DeliverSmResp
  | DataSm
  | DataSmResp
  | QuerySm
  | QuerySmResp
  | CancelSm
  | CancelSmResp
  | ReplaceSm
  | ReplaceSmResp
  | AlertNotification;
