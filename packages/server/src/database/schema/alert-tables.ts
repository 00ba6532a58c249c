import type { Flag } from './column-types.ts';

/** Where alerts are sent, what lasts, and what was told to whom. An empty `organization_id` is the instance. */
export interface AlertTables {
  alert_channel: AlertChannelRow;
  alert_condition: AlertConditionRow;
  alert: AlertRow;
  alert_delivery: AlertDeliveryRow;
}

export interface AlertChannelRow {
  id: string;
  organization_id: string;
  kind: 'email' | 'webhook' | 'wecom' | 'dingtalk' | 'feishu';
  name: string;
  enabled: Flag;
  /** JSON: the addresses of emails. */
  recipients: string;
  /** The host of its URL; null for emails. */
  host: string | null;
  signed: Flag;
  /** URL and secret as JSON, sealed; null for emails. */
  sealed: Uint8Array | null;
  key_id: string | null;
  created_at: number;
  updated_at: number;
  /** Attempts in a row that were not accepted; nothing is sent before `retry_at`. */
  failures: number;
  retry_at: number;
  last_sent_at: number | null;
  /** Of the latest attempt; null when it was accepted. */
  last_error: string | null;
}

/**
 * Something that lasts and that people hear of, or an event that they heard of. It is gone when it is over.
 */
export interface AlertConditionRow {
  type: string;
  organization_id: string;
  about_id: string;
  /** Of an event: which one was told, such as a version. Else empty. */
  mark: string;
  notice: string;
  /** JSON */
  parameters: string;
  /** How bad it is, where that grows: one that is worse is told at once. */
  stage: number;
  /** How often it was told in this stage. */
  times: number;
  first_at: number;
  /** When it was last told; null: nobody has heard of it. */
  told_at: number | null;
  /** When it is told again; null: not by time. */
  next_at: number | null;
}

/** What was told. */
export interface AlertRow {
  id: string;
  organization_id: string;
  type: string;
  about_id: string;
  notice: string;
  /** JSON */
  parameters: string;
  at: number;
}

/** One alert on its way to one channel. Those with one `digest_id` are sent as one. */
export interface AlertDeliveryRow {
  alert_id: string;
  channel_id: string;
  /** Of the alert. */
  organization_id: string;
  /** Of the channel. */
  channel_organization_id: string;
  digest_id: string;
  kind: AlertChannelRow['kind'];
  /** The name of the channel when this was told. */
  channel: string;
  /** Recipients or host. */
  destination: string;
  state: 'waiting' | 'sent' | 'failed';
  attempts: number;
  /** The latest attempt; 0: none yet. What was tried longest ago is tried next. */
  tried_at: number;
  ended_at: number | null;
  last_error: string | null;
}
