import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type DnsMessage, decodeMessage, encodeMessage } from '@waxwing/dns/dns-message.ts';
import { formatName, parseName } from '@waxwing/dns/domain-name.ts';
import { type RecordData, type ResourceRecord, recordTypes, textData } from '@waxwing/dns/resource-record.ts';

/** Answers a question in bytes; undefined is silence. */
export type Respond = (query: DnsMessage, transport: 'udp' | 'tcp') => Uint8Array | readonly Uint8Array[] | undefined;

export interface TrialNameServer extends AsyncDisposable {
  readonly port: number;
  /** `udp TXT a.example`, in the order in which they came. */
  readonly questions: readonly string[];
  respond: Respond;
}

/** A name server on loopback that says what a test wants, over UDP and TCP. @param at by default a free port */
export async function startNameServer(
  respond: Respond,
  at: { readonly host: string; readonly port: number } = { host: '127.0.0.1', port: 0 },
): Promise<TrialNameServer> {
  const questions: string[] = [];
  const connections = new Set<Socket>();
  const take = (bytes: Uint8Array, transport: 'udp' | 'tcp'): readonly Uint8Array[] => {
    const query = decodeMessage(bytes);
    const [question] = query.questions;
    questions.push(`${transport} ${typeName(question?.type)} ${formatName(question?.name ?? [])}`);
    return [self.respond(query, transport) ?? []].flat();
  };
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      for (const answer of take(Buffer.from(bytes).subarray(2), 'tcp')) {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([length, answer]));
      }
    });
  });
  server.listen(at.port, at.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const datagrams = createSocket('udp4');
  datagrams.on('message', (bytes, peer) => {
    for (const answer of take(bytes, 'udp')) datagrams.send(answer, peer.port, peer.address);
  });
  datagrams.bind(port, at.host);
  await once(datagrams, 'listening');
  const self: TrialNameServer = {
    port,
    questions,
    respond,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      server.close();
      datagrams.close();
      await Promise.all([once(server, 'close'), once(datagrams, 'close')]);
    },
  };
  return self;
}

function typeName(type: number | undefined): string {
  return Object.entries(recordTypes).find(([, value]) => value === type)?.[0] ?? `${type}`;
}

/** An authoritative answer with these records, cut down to those that answer the question. */
export function respondFrom(records: () => readonly ResourceRecord[]): Respond {
  return (query) => {
    const [question] = query.questions;
    const name = formatName(question?.name ?? []).toLowerCase();
    const here = records().filter((record) => formatName(record.name).toLowerCase() === name);
    const answers = here.filter(({ type }) => type === question?.type || type === recordTypes.CNAME);
    const isNothing = here.length === 0;
    return encodeMessage({
      ...query,
      isResponse: true,
      isAuthoritative: true,
      answers,
      responseCode: isNothing ? 3 : 0,
    });
  };
}

export function trialRecord(name: string, type: 'A' | 'NS' | 'CNAME' | 'TXT', value: string): ResourceRecord {
  return { name: parseName(name), type: recordTypes[type], class: 1, ttl: 0, data: dataOf(type, value) };
}

function dataOf(type: 'A' | 'NS' | 'CNAME' | 'TXT', value: string): RecordData {
  if (type === 'TXT') return textData(value);
  if (type === 'A') return { kind: 'address', octets: Buffer.from(value.split('.').map(Number)) };
  return { kind: 'name', name: parseName(value) };
}
