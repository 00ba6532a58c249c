import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pcapFile, type SentOctets } from './pcap-file.ts';

/**
 * Hands the octets of connections on to a listener, and keeps them. A capture needs rights that not everybody has, and
 * may lose packets on a busy machine.
 */
export interface RecordingRelay extends AsyncDisposable {
  readonly port: number;
  /** All octets that have passed so far, as a pcap file. */
  capture(): Buffer;
  /** All PDUs so far, cut by their lengths alone, in the order of their last octets. */
  pdus(): readonly FramedPdu[];
}

/** A PDU of SMPP or CMPP. Both begin with their length and their command_id. */
export interface FramedPdu {
  readonly fromClient: boolean;
  readonly commandId: number;
  readonly octets: Buffer;
}

/** @param target the port of the listener on 127.0.0.1 */
export async function startRecordingRelay(target: number): Promise<RecordingRelay> {
  const sent: SentOctets[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const listener = connect(target, '127.0.0.1');
    const clientPort = client.remotePort ?? 0;
    const join = (from: Socket, to: Socket, fromClient: boolean) => {
      sockets.add(from);
      from.on('data', (octets: Buffer) => {
        sent.push({ at: Date.now(), fromClient, clientPort, octets });
        to.write(octets);
      });
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        if (from.errored !== null) to.destroy();
      });
    };
    join(client, listener, true);
    join(listener, client, false);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    capture: () => pcapFile(sent, port),
    pdus: () => framedPdus(sent),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function framedPdus(sent: readonly SentOctets[]): readonly FramedPdu[] {
  const unread = new Map<string, Buffer>();
  return sent.flatMap(({ fromClient, clientPort, octets }) => {
    const stream = `${clientPort} ${fromClient}`;
    let rest = Buffer.concat([unread.get(stream) ?? Buffer.alloc(0), octets]);
    const pdus: FramedPdu[] = [];
    while (rest.length >= 8 && rest.length >= rest.readUInt32BE(0)) {
      const pdu = rest.subarray(0, rest.readUInt32BE(0));
      pdus.push({ fromClient, commandId: pdu.readUInt32BE(4), octets: pdu });
      rest = rest.subarray(pdu.length);
    }
    unread.set(stream, rest);
    return pdus;
  });
}
