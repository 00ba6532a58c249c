import { connect, createServer, type Socket } from 'node:net';
import { concatenationOf } from '../../packages/smpp/src/concatenation.ts';
import { decodePdu } from '../../packages/smpp/src/decode-pdu.ts';
import { readReceipt } from '../../packages/smpp/src/delivery-receipt.ts';
import { textOf } from '../../packages/smpp/src/message-content.ts';
import { messageIdKey } from '../../packages/smpp/src/message-id-form.ts';
import type { DeliverSm, SmppPdu } from '../../packages/smpp/src/smpp-pdu.ts';

/** A connection of a server. */
export interface SeenConnection {
  /** When the server's end of it closed, epoch milliseconds; undefined: it is open. */
  endedAt: number | undefined;
}

/** A submit_sm that was passed on to the carrier. Times are epoch milliseconds. */
export interface SeenSubmit {
  readonly at: number;
  readonly destination: string;
  /** From 0. */
  readonly part: number;
  /** What brought it. Submits of one connection share it. */
  readonly connection: SeenConnection;
  /** Undefined: no answer was passed on to the server. */
  answer: { readonly at: number; readonly status: number; readonly messageId: string } | undefined;
}

/** A deliver_sm that the carrier sent; each time it comes is one of its own. */
export interface SeenDelivery {
  /** Undefined for a reply. */
  readonly receipt: { readonly messageId: string; readonly state: number } | undefined;
  readonly from: string;
  readonly text: string;
  /** When the server accepted it, whether or not the carrier heard of that. */
  acknowledgedAt: number | undefined;
}

export interface CarrierRecord {
  readonly submits: SeenSubmit[];
  readonly deliveries: SeenDelivery[];
}

/** Stands between servers and a carrier: it records what both say, and breaks their connections. */
export interface CarrierProxy extends AsyncDisposable {
  readonly port: number;
  readonly record: CarrierRecord;
  /** When anything was last passed on or acknowledged, epoch milliseconds; keep-alives do not count. */
  readonly lastHeardAt: number;
  /** Resets all connections, each in the middle of its next PDU. @returns how many there were */
  cut(): number;
  /** Passes nothing on any more over the connections there are, which stay open. @returns how many there were */
  freeze(direction: 'both' | 'to-server'): number;
}

/** A peer that is gone is noticed after this, where nothing tells it. */
const halfOpenMs = 2_000;
const cutAtLatestMs = 50;

interface Connection {
  readonly server: Socket;
  readonly carrier: Socket;
  isToBeCut: boolean;
  frozen: 'both' | 'to-server' | undefined;
}

export async function startCarrierProxy(carrierPort: number): Promise<CarrierProxy> {
  const record: CarrierRecord = { submits: [], deliveries: [] };
  const connections = new Set<Connection>();
  let lastHeardAt = Date.now();

  const listener = createServer((server) => {
    const carrier = connect(carrierPort, '127.0.0.1');
    const connection: Connection = { server, carrier, isToBeCut: false, frozen: undefined };
    connections.add(connection);
    const seen: SeenConnection = { endedAt: undefined };
    server.on('close', () => {
      seen.endedAt = Date.now();
    });
    const watcher = watchConnection(record, seen, () => {
      lastHeardAt = Date.now();
    });
    const pass = (to: Socket, octets: Buffer) => {
      if (!connection.isToBeCut) return to.write(octets);
      to.write(octets.subarray(0, octets.length >> 1));
      return reset(connection);
    };
    server.on(
      'data',
      inPdus((octets) => {
        watcher.heardFromServer(octets, connection.frozen !== 'both' && !connection.isToBeCut);
        if (connection.frozen !== 'both') pass(carrier, octets);
      }),
    );
    carrier.on(
      'data',
      inPdus((octets) => {
        if (connection.frozen !== undefined) return;
        if (!connection.isToBeCut) watcher.passedToServer(octets);
        pass(server, octets);
      }),
    );
    const end = (other: Socket) => () => {
      if (connection.frozen === undefined) other.destroy();
      else setTimeout(() => other.destroy(), halfOpenMs).unref();
      if (server.destroyed && carrier.destroyed) connections.delete(connection);
    };
    server.on('close', end(carrier)).on('error', () => {});
    carrier.on('close', end(server)).on('error', () => {});
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  return {
    port: address.port,
    record,
    get lastHeardAt() {
      return lastHeardAt;
    },
    cut() {
      const cutNow = [...connections];
      for (const connection of cutNow) {
        connection.isToBeCut = true;
        setTimeout(reset, cutAtLatestMs, connection).unref();
      }
      return cutNow.length;
    },
    freeze(direction) {
      const frozen = [...connections];
      for (const connection of frozen) connection.frozen = direction;
      return frozen.length;
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) reset(connection);
      await new Promise((resolve) => {
        listener.close(resolve);
      });
    },
  };
}

function reset({ server, carrier }: Connection): void {
  server.resetAndDestroy();
  carrier.resetAndDestroy();
}

/** Cuts a stream into PDUs: each begins with its length (SMPP 3.4 §3.2). */
function inPdus(take: (octets: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let length = 0; rest.length >= 4; rest = rest.subarray(length)) {
      length = rest.readUInt32BE(0);
      if (rest.length < length) return;
      take(rest.subarray(0, length));
    }
  };
}

function watchConnection(record: CarrierRecord, connection: SeenConnection, heard: () => void) {
  const submits = new Map<number, SeenSubmit>();
  const deliveries = new Map<number, SeenDelivery>();
  return {
    heardFromServer(octets: Buffer, isPassedOn: boolean) {
      const pdu = read(octets);
      if (pdu?.command === 'deliver_sm_resp' && pdu.status === 0) {
        const delivery = deliveries.get(pdu.sequence);
        if (delivery !== undefined) delivery.acknowledgedAt ??= Date.now();
        heard();
      }
      if (pdu?.command !== 'submit_sm' || !isPassedOn) return;
      const submit: SeenSubmit = {
        at: Date.now(),
        destination: pdu.destination.address,
        part: (concatenationOf(pdu)?.sequence ?? 1) - 1,
        connection,
        answer: undefined,
      };
      submits.set(pdu.sequence, submit);
      record.submits.push(submit);
      heard();
    },
    passedToServer(octets: Buffer) {
      const pdu = read(octets);
      if (pdu?.command === 'submit_sm_resp') {
        const submit = submits.get(pdu.sequence);
        const answer = { at: Date.now(), status: pdu.status, messageId: messageIdKey(pdu.messageId) };
        if (submit !== undefined) submit.answer = answer;
        heard();
      }
      if (pdu?.command !== 'deliver_sm') return;
      const delivery = toDelivery(pdu);
      deliveries.set(pdu.sequence, delivery);
      record.deliveries.push(delivery);
      heard();
    },
  };
}

function read(octets: Buffer): SmppPdu | undefined {
  const decoded = decodePdu(octets);
  return decoded.kind === 'pdu' ? decoded.pdu : undefined;
}

function toDelivery(pdu: DeliverSm): SeenDelivery {
  const { messageId, state } = readReceipt(pdu) ?? {};
  const receipt =
    messageId === undefined || state === undefined ? undefined : { messageId: messageIdKey(messageId), state };
  return { receipt, from: pdu.source.address, text: textOf(pdu, 'gsm7'), acknowledgedAt: undefined };
}
