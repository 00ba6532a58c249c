import { Client } from 'undici';
import type { IpAddress } from '../http/request/ip-address.ts';
import type { Clock } from '../runtime/clock.ts';
import { type DialOptions, dial } from './dial.ts';
import { mayShowAnswer } from './target-guard.ts';
import type { TargetUrl } from './target-url.ts';

/** One connection, lent to one attempt at a time. It dials when it is first used, and again if it was closed since. */
export interface Connection {
  readonly client: Client;
  readonly origin: string;
  /** The peer, as far as it is known: from the dialling on when the host has one address. */
  address: string | undefined;
  /** Whether what the peer answers may be shown. */
  mayShow: boolean;
  /** Whether the current attempt dialled. A kept connection dials again if it was closed. */
  isNew: boolean;
}

export interface AgentOptions extends DialOptions {
  readonly clock: Clock;
  /**
   * How many unused connections are kept open at most, all targets together; each of them for seconds only. Default 1024.
   * With fewer than attempts run at once, the end of one burst closes what the next one opens again: measured under full
   * load with 1024 of 2048, one attempt of seven dialled.
   */
  readonly maxIdle?: number;
}

/**
 * Connections of which each was dialled by `dial`, kept for reuse by origin. Follows no redirect, knows no proxy, and
 * speaks HTTP/1.1.
 *
 * An undici Client for each connection rather than its Agent, since a request that waits for a connection cannot be
 * taken back from an Agent: attempts that have timed out would go on holding sockets, and one more dial would go out
 * for nobody. How many run at once, the callers bound.
 */
export class GuardedAgent {
  readonly #options: AgentOptions;
  readonly #maxIdle: number;
  /** By origin, the one used last at the end, so that the rest may time out. */
  readonly #idle = new Map<string, Connection[]>();
  #idleCount = 0;
  readonly #lives = new Map<Connection, { readonly since: number; readonly end: AbortController }>();
  #closed = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#maxIdle = options.maxIdle ?? 1024;
  }

  /** How many connections exist: in use, being dialled, and unused. */
  get size(): number {
    return this.#lives.size;
  }

  /** An unused connection to the target's origin, if there is one. To be given back by `release` or `discard`. */
  reuse(target: TargetUrl): Connection | undefined {
    const connection = this.#idle.get(target.origin)?.at(-1);
    if (connection !== undefined) this.#forget(connection);
    return connection;
  }

  /** A new connection. To be given back by `release` or `discard`. */
  open(target: TargetUrl): Connection {
    const end = new AbortController();
    const client = new Client(target.origin, {
      connect: (_options, done) => {
        const hear = (address: IpAddress) => {
          connection.address = address.text;
        };
        dial(target, this.#options, end.signal, hear).then(
          ({ socket, peer }) => {
            connection.address = peer.text;
            connection.mayShow = mayShowAnswer(peer);
            connection.isNew = true;
            done(null, socket);
          },
          (error: Error) => done(error, null),
        );
      },
      // Pipelining is never used: a connection has one request at a time. With 1, undici's Client would look at its
      // queue once more after each answer.
      pipelining: 2,
      allowH2: false,
      useMilo: false,
      // An attempt has one time limit for everything, and it is kept outside.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16 * 1024,
      keepAliveTimeout: 4000,
      keepAliveMaxTimeout: 60_000,
    });
    const connection: Connection = { client, origin: target.origin, address: undefined, mayShow: false, isNew: true };
    this.#lives.set(connection, { since: this.#options.clock.monotonic(), end });
    client.on('disconnect', () => {
      if (this.#forget(connection)) this.discard(connection);
    });
    return connection;
  }

  /** Gives a connection back on which an answer was read to its end. */
  release(connection: Connection): void {
    const life = this.#lives.get(connection);
    if (life === undefined) return;
    // A receiver that has moved in DNS is followed within minutes, even if its old address never hangs up.
    const isOld = this.#options.clock.monotonic() - life.since > MAXIMUM_AGE_MS;
    if (this.#closed || isOld || this.#idleCount >= this.#maxIdle) {
      this.discard(connection);
      return;
    }
    connection.isNew = false;
    const waiting = this.#idle.get(connection.origin);
    if (waiting === undefined) this.#idle.set(connection.origin, [connection]);
    else waiting.push(connection);
    this.#idleCount++;
  }

  /** Closes a connection at once, whatever it is doing. */
  discard(connection: Connection): void {
    const life = this.#lives.get(connection);
    if (life === undefined) return;
    this.#lives.delete(connection);
    this.#forget(connection);
    life.end.abort();
    void connection.client.destroy();
  }

  /** Closes every connection. Attempts that are running end as `cutOff`. */
  close(): void {
    this.#closed = true;
    for (const connection of [...this.#lives.keys()]) this.discard(connection);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Takes a connection out of the unused ones. @returns whether it was one of them */
  #forget(connection: Connection): boolean {
    const waiting = this.#idle.get(connection.origin);
    const index = waiting?.lastIndexOf(connection) ?? -1;
    if (waiting === undefined || index === -1) return false;
    waiting.splice(index, 1);
    if (waiting.length === 0) this.#idle.delete(connection.origin);
    this.#idleCount--;
    return true;
  }
}

const MAXIMUM_AGE_MS = 300_000;
