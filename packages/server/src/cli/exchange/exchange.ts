/** One request to the management API, whatever it travels by. */
export interface ApiRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ApiReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One request and its answer. @throws Problem when there is none */
export type Exchange = (request: ApiRequest) => Promise<ApiReply>;

/** A way to a management API. */
export interface Connection {
  readonly exchange: Exchange;
  /** What answers there, for people: an address, a socket. */
  readonly place: string;
  /** Gives back what the exchange holds; the next request takes it again. */
  close(): Promise<void>;
}
