/** Unsigned, big-endian. Octets beyond the end count as 0. */
export function uint32At(octets: Uint8Array, at: number): number {
  const [first = 0, second = 0, third = 0, fourth = 0] = [octets[at], octets[at + 1], octets[at + 2], octets[at + 3]];
  return first * 0x100_0000 + ((second << 16) | (third << 8) | fourth);
}
