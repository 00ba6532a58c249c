/** Times in requests: YYMMDDhhmmsstnnp (SMPP 3.4 §7.1.1, which CMPP's ValId_Time shares). */

/** In UTC. @param at epoch milliseconds */
export function smppTime(at: number): string {
  return `${digitsOf(at)}000+`;
}

/** In the time of China, eight hours or 32 quarters before UTC: some gateways read the digits alone. */
export function cmppTime(at: number): string {
  return `${digitsOf(at + 8 * 3_600_000)}032+`;
}

function digitsOf(at: number): string {
  return new Date(at).toISOString().replace(/\D/g, '').slice(2, 14);
}
