/** What stories use of npm `smpp`, which has no types. */
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Server } from 'node:net';

/** A PDU. Its fields are those of its command, by the names of the specification. */
export interface ForeignPdu {
  readonly command: string;
  readonly command_status: number;
  readonly system_id: string;
  readonly password: string;
  readonly source_addr: string;
  readonly destination_addr: string;
  readonly registered_delivery: number;
  readonly short_message: ForeignText;
  readonly message_payload?: ForeignText;
  readonly sar_total_segments?: number;
  readonly sar_segment_seqnum?: number;
  isResponse(): boolean;
  response(fields?: object): ForeignPdu;
}

/** A text as the package has read it. Octets: it does not know their alphabet. */
export interface ForeignText {
  readonly message: string | Uint8Array;
  readonly udh?: readonly Uint8Array[];
}

export interface ForeignSession extends EventEmitter {
  deliver_sm(fields: object, done: (pdu: ForeignPdu) => void): void;
  enquire_link(fields: object, done: (pdu: ForeignPdu) => void): void;
  send(pdu: ForeignPdu): void;
  close(): void;
  destroy(): void;
}

interface ForeignPackage {
  createServer(onSession: (session: ForeignSession) => void): Server & { readonly sessions: readonly ForeignSession[] };
}

export const foreignSmpp = createRequire(import.meta.url)('smpp') as ForeignPackage;
