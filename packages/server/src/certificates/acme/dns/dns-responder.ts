import { createSocket, type Socket as DatagramSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { formatName } from '@waxwing/dns/domain-name.ts';
import {
  answerQuery,
  encodeAnswer,
  nameToFind,
  type ReadQuery,
  readQuery,
  type TextValues,
  type Zone,
} from '@waxwing/dns/zone-answer.ts';
import { countedAddress, parseAddress } from '../../../http/request/ip-address.ts';

export interface DnsResponderNeeds {
  readonly zone: Zone;
  /**
   * The TXT values of a name in the zone, lower case; undefined where there is no such name, empty where there are only
   * names below it.
   */
  readonly find: (name: string) => Promise<TextValues>;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  /** Hears why `find` failed; the client hears SERVFAIL. */
  readonly onFault: (error: unknown) => void;
}

/**
 * From one address, or one /64, in a second, over UDP and as many over TCP. Beyond them, and while more are looked up
 * than is good, answers over UDP are cut off. Beyond them, a connection over TCP is closed.
 */
const fullAnswersPerSecond = 50;
const mostSources = 10_000;
const mostLookUps = 200;

/** Over UDP, in bytes: what passes every network in one piece. A question needs less, so a longer one is dropped. */
const longestDatagram = 1232;

const tcp = { connections: 100, perSource: 8, idleMs: 5000, lifeMs: 30_000, longestQuery: 4096 } as const;

/**
 * Answers for one zone, over UDP and TCP. Over UDP a sender's address may be forged, so the answer is never much larger
 * than the question, and for a source that asks too often it only says "cut off": a real resolver comes again over TCP.
 */
export class DnsResponder {
  readonly #needs: DnsResponderNeeds;
  readonly #sources: SourceLimit;
  /** Counted apart: whoever forges a source over UDP must not close its connections. */
  readonly #streamSources: SourceLimit;
  readonly #datagrams: DatagramSocket[] = [];
  readonly #servers: Server[] = [];
  readonly #connections = new Map<Socket, string>();
  #lookUps = 0;

  constructor(needs: DnsResponderNeeds) {
    this.#needs = needs;
    this.#sources = new SourceLimit(needs.now);
    this.#streamSources = new SourceLimit(needs.now);
  }

  /** @returns the port, drawn where it was 0; rejects where one of both cannot be listened on */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    const server = createServer((socket) => this.#serve(socket));
    server.maxConnections = tcp.connections;
    server.listen(port, host);
    await once(server, 'listening');
    this.#servers.push(server);
    const { port: bound } = server.address() as AddressInfo;
    const datagrams = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
    this.#datagrams.push(datagrams);
    datagrams.on('message', (bytes, peer) => {
      this.#answerDatagram(datagrams, bytes, peer).catch(this.#needs.onFault);
    });
    datagrams.bind(bound, host);
    await once(datagrams, 'listening');
    // A later error is that of one datagram.
    datagrams.on('error', () => {});
    return bound;
  }

  async close(): Promise<void> {
    for (const socket of this.#connections.keys()) socket.destroy();
    const servers = this.#servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)));
    const datagrams = this.#datagrams.splice(0).map((socket) => new Promise<void>((resolve) => socket.close(resolve)));
    await Promise.all([...servers, ...datagrams]);
  }

  async #answerDatagram(socket: DatagramSocket, bytes: Buffer, peer: RemoteInfo): Promise<void> {
    const isAdmitted = this.#sources.admit(sourceOf(peer.address));
    if (bytes.length > longestDatagram) return;
    const read = readQuery(bytes);
    const isWithinLimit = isAdmitted && this.#lookUps < mostLookUps;
    const answer = isWithinLimit ? await this.#answer(read, 'udp') : this.#cutOff(read);
    // It may be closed by now.
    if (answer !== undefined && this.#datagrams.includes(socket)) socket.send(answer, peer.port, peer.address);
  }

  async #answer(read: ReadQuery, transport: 'udp' | 'tcp'): Promise<Buffer | undefined> {
    const { zone } = this.#needs;
    const name = nameToFind(zone, read);
    const values = name === undefined ? undefined : await this.#find(formatName(name).toLowerCase());
    const answer = answerQuery(zone, read, values);
    return answer && encodeAnswer(answer, read, transport);
  }

  #cutOff(read: ReadQuery): Buffer | undefined {
    const answer = answerQuery(this.#needs.zone, read, undefined);
    if (answer === undefined) return undefined;
    return encodeAnswer({ ...answer, isTruncated: true, responseCode: 0, answers: [], authorities: [] }, read, 'udp');
  }

  async #find(name: string): Promise<TextValues | 'failed'> {
    this.#lookUps += 1;
    try {
      return await this.#needs.find(name);
    } catch (error) {
      this.#needs.onFault(error);
      return 'failed';
    } finally {
      this.#lookUps -= 1;
    }
  }

  #serve(socket: Socket): void {
    socket.on('error', () => {});
    const source = sourceOf(socket.remoteAddress ?? '');
    const others = [...this.#connections.values()].filter((each) => each === source);
    if (others.length >= tcp.perSource) {
      socket.destroy();
      return;
    }
    this.#connections.set(socket, source);
    const life = setTimeout(() => socket.destroy(), tcp.lifeMs);
    socket.on('close', () => {
      clearTimeout(life);
      this.#connections.delete(socket);
    });
    socket.setTimeout(tcp.idleMs, () => socket.destroy());
    void this.#answerStream(socket, source);
  }

  /** One question after the other: the next is read when the answer before it has been taken. */
  async #answerStream(socket: Socket, source: string): Promise<void> {
    let received = Buffer.alloc(0);
    try {
      for await (const chunk of socket) {
        received = Buffer.concat([received, chunk as Buffer]);
        while (received.length >= 2) {
          const length = received.readUInt16BE(0);
          if (length > tcp.longestQuery) return;
          if (received.length < 2 + length) break;
          if (!this.#streamSources.admit(source)) return;
          const answer = await this.#answer(readQuery(received.subarray(2, 2 + length)), 'tcp');
          received = received.subarray(2 + length);
          if (answer === undefined) return;
          const head = Buffer.alloc(2);
          head.writeUInt16BE(answer.length);
          if (!socket.write(Buffer.concat([head, answer]))) await once(socket, 'drain');
        }
      }
    } catch {
      // It broke off; nobody is left to be answered.
    } finally {
      socket.destroy();
    }
  }
}

function sourceOf(address: string): string {
  return countedAddress(parseAddress(address));
}

/** Counts the questions of each source within the second. Of one more source than fit, nothing is admitted. */
class SourceLimit {
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #second = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  admit(source: string): boolean {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#counts.clear();
    }
    const count = (this.#counts.get(source) ?? 0) + 1;
    if (count === 1 && this.#counts.size >= mostSources) return false;
    this.#counts.set(source, count);
    return count <= fullAnswersPerSecond;
  }
}
