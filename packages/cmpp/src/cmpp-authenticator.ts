/**
 * How provider and gateway prove to each other that they know their shared secret (CMPP 3.0.0 §8.4.1). CMPP demands MD5
 * and has nothing stronger. TLS below it, or a private line, has to protect the connection.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { CmppConnect, CmppConnectResponse } from './cmpp-pdu.ts';
import type { CmppVersion } from './cmpp-version.ts';

const nineZeros = new Uint8Array(9);

/** The time of a CMPP_CONNECT in China, MMDDHHMMSS as a number. @param now epoch milliseconds */
export function connectTimestamp(now: number): number {
  const digits = new Date(now + chinaOffset).toISOString().replace(/\D/g, '');
  return Number(digits.slice('YYYY'.length, 'YYYYMMDDHHMMSS'.length));
}

/** China has one time, eight hours before UTC, all year round. */
const chinaOffset = 8 * 3_600_000;

/**
 * AuthenticatorSource.
 * @param connect the address and the time that the CMPP_CONNECT has
 * @param secret octets of the shared secret
 */
export function sourceAuthenticator(
  { sourceAddress, timestamp }: Pick<CmppConnect, 'sourceAddress' | 'timestamp'>,
  secret: Uint8Array,
): Buffer {
  return createHash('md5')
    .update(sourceAddress, 'latin1')
    .update(nineZeros)
    .update(secret)
    .update(timestamp.toString().padStart(10, '0'))
    .digest();
}

/** Whether a provider knows the secret. Takes the same time whatever differs. */
export function isSourceAuthentic(connect: CmppConnect, secret: Uint8Array): boolean {
  return isEqual(connect.authenticator, sourceAuthenticator(connect, secret));
}

/**
 * AuthenticatorISMG.
 * @param status has as many octets in it as in the response, so the version counts
 * @param source AuthenticatorSource of the CMPP_CONNECT that is answered
 */
export function gatewayAuthenticator(
  status: number,
  source: Uint8Array,
  secret: Uint8Array,
  { resultSize }: CmppVersion,
): Buffer {
  const octets = Buffer.alloc(resultSize);
  octets.writeUIntBE(status, 0, resultSize);
  return createHash('md5').update(octets).update(source).update(secret).digest();
}

/** Whether a gateway knows the secret. Takes the same time whatever differs. @param source as sent in CMPP_CONNECT */
export function isGatewayAuthentic(
  response: CmppConnectResponse,
  source: Uint8Array,
  secret: Uint8Array,
  version: CmppVersion,
): boolean {
  // A response in the size of 3.0 may have a status that 2.0 cannot have.
  if (response.status >= 2 ** (8 * version.resultSize)) return false;
  return isEqual(response.authenticator, gatewayAuthenticator(response.status, source, secret, version));
}

function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
