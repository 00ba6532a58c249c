import type { IpAddress } from '../../http/request/ip-address.ts';

/** From where a person acts. */
export interface SessionClient {
  /** Undefined when it could not be determined. */
  readonly address: IpAddress | undefined;
  readonly userAgent: string;
  /** The cookie that marks a browser from which somebody has signed in. */
  readonly device: string | undefined;
  /** The session that the browser has already: a sign-in takes its place. */
  readonly session?: { readonly accountId: string; readonly sessionId: string } | undefined;
}
