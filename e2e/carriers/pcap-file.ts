/** Octets of TCP connections as a capture file (pcap, IETF draft-ietf-opsawg-pcap), as if they had been captured on loopback. */

/** What one end of a connection wrote at one time. */
export interface SentOctets {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The other end is the listener. */
  readonly fromClient: boolean;
  readonly clientPort: number;
  readonly octets: Uint8Array;
}

/** LINKTYPE_RAW: packets begin with their IP header. */
const rawIp = 101;
const mostOfPacket = 65_535;
/** Fits an IP packet, whose length has 16 bits. */
const mostOfSegment = 32_768;
const tcp = 6;
const [headerOfIp, headerOfTcp] = [20, 20];
/** PSH and ACK. */
const dataFlags = 0x18;

/** @param sent of all connections, in their order */
export function pcapFile(sent: readonly SentOctets[], listenerPort: number): Buffer {
  const written = new Map<string, number>();
  const nextOf = (clientPort: number, fromClient: boolean) => written.get(`${clientPort} ${fromClient}`) ?? 1;
  const packets = sent.flatMap(({ at, fromClient, clientPort, octets }) => {
    const pieces: Buffer[] = [];
    for (let from = 0; from < octets.length; from += mostOfSegment) {
      const piece = octets.subarray(from, from + mostOfSegment);
      const ports = fromClient ? ([clientPort, listenerPort] as const) : ([listenerPort, clientPort] as const);
      const sequence = nextOf(clientPort, fromClient);
      pieces.push(record(at, segment(ports, sequence, nextOf(clientPort, !fromClient), piece)));
      written.set(`${clientPort} ${fromClient}`, sequence + piece.length);
    }
    return pieces;
  });
  return Buffer.concat([fileHeader(), ...packets]);
}

function fileHeader(): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32BE(0xa1b2c3d4, 0);
  header.writeUInt16BE(2, 4);
  header.writeUInt16BE(4, 6);
  header.writeUInt32BE(mostOfPacket, 16);
  header.writeUInt32BE(rawIp, 20);
  return header;
}

function record(at: number, packet: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(Math.floor(at / 1000), 0);
  header.writeUInt32BE(Math.floor(at % 1000) * 1000, 4);
  header.writeUInt32BE(packet.length, 8);
  header.writeUInt32BE(packet.length, 12);
  return Buffer.concat([header, packet]);
}

/** An IPv4 packet with a TCP segment. Its checksums stay zero: tshark does not look at them unless told to. */
function segment(ports: readonly [number, number], sequence: number, acknowledged: number, octets: Uint8Array): Buffer {
  const ip = Buffer.alloc(headerOfIp);
  ip.writeUInt8(0x45, 0);
  ip.writeUInt16BE(headerOfIp + headerOfTcp + octets.length, 2);
  ip.writeUInt8(64, 8);
  ip.writeUInt8(tcp, 9);
  for (const at of [12, 16]) ip.set([127, 0, 0, 1], at);
  const head = Buffer.alloc(headerOfTcp);
  head.writeUInt16BE(ports[0], 0);
  head.writeUInt16BE(ports[1], 2);
  head.writeUInt32BE(sequence, 4);
  head.writeUInt32BE(acknowledged, 8);
  head.writeUInt8((headerOfTcp / 4) << 4, 12);
  head.writeUInt8(dataFlags, 13);
  head.writeUInt16BE(65_535, 14);
  return Buffer.concat([ip, head, octets]);
}
