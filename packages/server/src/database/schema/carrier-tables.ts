import type { Flag } from './column-types.ts';

/** The carriers that an operator sets up. */
export interface CarrierTables {
  carrier: CarrierRow;
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
