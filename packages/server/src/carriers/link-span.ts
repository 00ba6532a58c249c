const units = { ms: 1, s: 1_000, m: 60_000 } as const;

/** @param text `500ms`, `10s` or `5m` @returns milliseconds */
export function spanMs(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})(ms|s|m)$/.exec(text) ?? [];
  if (number === '') throw new RangeError(`${text} is not a span of time`);
  return Number(number) * units[unit as keyof typeof units];
}
