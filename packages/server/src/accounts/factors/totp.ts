import { createHmac, timingSafeEqual } from 'node:crypto';

/** Time-based one-time passwords: RFC 6238 over RFC 4226, with HMAC-SHA-1, six digits and steps of 30 s. */
export const stepSeconds = 30;
const digits = 6;
/** A code is accepted one step early or late (RFC 6238 §5.2), for clocks that differ and people who type. */
const tolerance = 1;

/** 160 bits, as RFC 4226 §4 recommends. */
export const totpSecretBytes = 20;

export function timeStep(epochMs: number): number {
  return Math.floor(epochMs / 1000 / stepSeconds);
}

/** RFC 4226 §5.3. */
export function totpCode(secret: Uint8Array, step: number, length = digits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac[mac.length - 1] ?? 0) & 0x0f;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** length;
  return String(number).padStart(length, '0');
}

/**
 * The step that `code` belongs to, when it lies close to now and after `lastStep`. All candidates are compared in full,
 * so that the time taken tells nothing.
 * @param code spaces in it are passed over: applications show it in two groups
 */
export function matchingStep(secret: Uint8Array, code: string, now: number, lastStep: number): number | undefined {
  const given = code.replaceAll(' ', '');
  if (!/^[0-9]{6}$/.test(given)) return undefined;
  const current = timeStep(now);
  let match: number | undefined;
  for (let step = current - tolerance; step <= current + tolerance; step++) {
    const isEqual = timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(given));
    if (isEqual && step > lastStep) match = step;
  }
  return match;
}

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 §6 without padding, as authenticator applications read it. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let rest = 0;
  let bits = 0;
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32Alphabet[(rest >>> bits) & 31];
      rest &= (1 << bits) - 1;
    }
  }
  return bits === 0 ? text : text + base32Alphabet[(rest << (5 - bits)) & 31];
}

/** What a QR code for authenticator applications says (Key Uri Format of Google Authenticator). Holds the secret. */
export function enrolmentUri(secret: Uint8Array, email: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`;
}
