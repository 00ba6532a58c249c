import type { Flag } from './column-types.ts';

/** The carriers that an operator sets up. */
export interface CarrierTables {
  carrier: CarrierRow;
  carrier_state: CarrierStateRow;
  reply_segment: ReplySegmentRow;
}

/** What the link of a carrier does, written by the server that runs it. */
export interface CarrierStateRow {
  carrier_id: string;
  /** JSON: each connection with its state. */
  connections: string;
  /** Since when none of them takes submits. */
  down_since: number | null;
  /** JSON: counters since the link was first started. */
  counts: string;
  last_keep_alive_at: number | null;
  /** JSON: by which form of their ids receipts have matched. */
  id_forms: string;
  written_at: number;
}

/** A segment of a longer reply. They stay for a while once the reply was delivered: carriers repeat segments. */
export interface ReplySegmentRow {
  carrier_id: string;
  sender: string;
  recipient: string;
  /** How segments are told from those of other texts. */
  reference: string;
  total: number;
  /** From 1. */
  sequence: number;
  /** JSON: a text may be cut inside a surrogate pair, which no column can hold. */
  content: string;
  received_at: number;
  delivered_at: number | null;
}

/**
 * A carrier. A deleted one stays without its secrets: old messages name it, and while there is any row, the simulator
 * takes nothing.
 */
export interface CarrierRow {
  id: string;
  name: string;
  protocol: 'smpp' | 'cmpp2' | 'cmpp3';
  /** `HOST:PORT`; an IPv6 address in brackets. */
  address: string;
  account: string;
  enabled: Flag;
  priority: number;
  weight: number;
  /** JSON: `for_prefix`, `for_organization`, `for_sender`. */
  conditions: string;
  /** JSON: all other settings by their names. */
  options: string;
  /** Null once it is deleted. */
  sealed_password: Uint8Array | null;
  /** PKCS#8 in PEM; null where the carrier asks for no certificate. */
  sealed_tls_key: Uint8Array | null;
  key_id: string | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}
