import type { ServerResponse } from 'node:http';

export interface StreamEvent {
  /** Comes back as `Last-Event-ID` when the client reconnects. */
  readonly id?: string;
  readonly name: string;
  readonly data: unknown;
}

/** One client that reads server-sent events (WHATWG HTML §9.2). */
export interface EventSink {
  send(event: StreamEvent): void;
  /** Keeps proxies from taking the connection for dead. */
  beat(): void;
  end(): void;
  /** Aborted when the client has gone, was cut, or the stream was ended. */
  readonly closed: AbortSignal;
}

/** What may wait for a slow reader, bytes. One that falls behind by more is cut: it reconnects, and goes on or begins anew. */
export const mostWaitingBytes = 65_536;

/** Begins the answer. `retryMs` is how long a client waits before it reconnects. */
export function openEventStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string | readonly string[]>>,
  retryMs = 2_000,
): EventSink {
  const gone = new AbortController();
  // Whoever leaves closes its side first, and the server goes on answering those who only have no more to say (server.ts).
  const { socket } = response;
  const leave = () => response.destroy();
  socket?.once('end', leave);
  response.on('close', () => {
    gone.abort();
    socket?.off('end', leave); // the connection may live on, for other streams
  });
  response.writeHead(200, {
    ...(headers as Record<string, string>),
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
  });
  const write = (text: string): void => {
    if (gone.signal.aborted) return;
    response.write(text);
    if (response.writableLength > mostWaitingBytes) response.destroy();
  };
  write(`retry: ${retryMs}\n\n`);
  return {
    send: ({ id, name, data }) =>
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
    beat: () => write(':\n\n'),
    end() {
      gone.abort();
      response.end();
    },
    closed: gone.signal,
  };
}
