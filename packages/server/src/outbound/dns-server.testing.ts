import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { parseAddress } from '../http/request/ip-address.ts';

/** A real DNS server on loopback for tests (RFC 1035 §4): answers A and AAAA from a table that may change at any time. */
export interface TrialDns extends AsyncDisposable {
  /** Addresses by lower-case name. A name that is not here does not exist; an empty list is a name without address. */
  readonly zone: Map<string, readonly string[]>;
  /** The names asked for, each once per question. */
  readonly questions: string[];
  /** Whether to stay silent. */
  silent: boolean;
  /** A resolver that asks this server alone. */
  readonly resolver: Resolver;
}

const types = { A: 1, AAAA: 28 } as const;
const NAME_ERROR = 3;

export async function startTrialDns(zone: Readonly<Record<string, readonly string[]>> = {}): Promise<TrialDns> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new Resolver({ timeout: 1000, tries: 2 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  const dns: TrialDns = {
    zone: new Map(Object.entries(zone)),
    questions: [],
    silent: false,
    resolver,
    async [Symbol.asyncDispose]() {
      resolver.cancel();
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query);
    dns.questions.push(name);
    if (!dns.silent) socket.send(answer(query.subarray(0, end), type, dns.zone.get(name)), peer.port, peer.address);
  });
  return dns;
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answer(question: Buffer, type: number, addresses: readonly string[] | undefined): Buffer {
  const records = (addresses ?? []).flatMap((text) => {
    const address = parseAddress(text);
    if (address === undefined || type !== (address.family === 4 ? types.A : types.AAAA)) return [];
    return [record(type, addressBytes(address.value, address.family))];
  });
  const message = Buffer.concat([question, ...records]);
  // A response, authoritative, recursion available.
  message.writeUInt16BE(0x8580 | (addresses === undefined ? NAME_ERROR : 0), 2);
  message.writeUInt16BE(records.length, 6);
  message.writeUInt32BE(0, 8);
  return message;
}

/** A record of the name in the question, to be remembered for no time at all. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function addressBytes(value: number | bigint, family: 4 | 6): Buffer {
  return Buffer.from(value.toString(16).padStart(family === 4 ? 8 : 32, '0'), 'hex');
}
