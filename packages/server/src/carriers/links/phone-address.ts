/** Numbers as carriers write them, and as we do: E.164 with `+`. */

/** SMPP 3.4 §5.2.5 */
export const typesOfNumber = { unknown: 0, international: 1, networkSpecific: 3, alphanumeric: 5 } as const;

/** International numbers have 7 to 15 digits and never begin with 0 (E.164 §6). */
const international = /^[1-9]\d{6,14}$/;

/** @param ton type of number, as the carrier says @returns E.164 with `+`, or the address as it came */
export function numberFromSmpp(address: string, ton: number): string {
  if (address.startsWith('+')) return address;
  if (ton === typesOfNumber.international) return /^\d+$/.test(address) ? `+${address}` : address;
  // Many servers leave the type of international numbers unknown. Short codes have fewer digits.
  return ton === typesOfNumber.unknown && international.test(address) ? `+${address}` : address;
}

/** Chinese gateways write their numbers with or without 86, and with or without `+`. */
export function numberFromCmpp(address: string): string {
  const digits = address.replace(/^\+/, '').replace(/^00/, '');
  if (/^1\d{10}$/.test(digits)) return `+86${digits}`;
  return /^861\d{10}$/.test(digits) || address.startsWith('+') ? `+${digits}` : address;
}
