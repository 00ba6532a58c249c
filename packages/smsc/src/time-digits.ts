/** YYYYMMDDhhmmss in UTC. A receipt has two times, so this is reckoned in numbers. @param at epoch milliseconds */
export function timeDigits(at: number): string {
  const date = new Date(at);
  const day = (date.getUTCFullYear() * 100 + date.getUTCMonth() + 1) * 100 + date.getUTCDate();
  const time = (date.getUTCHours() * 100 + date.getUTCMinutes()) * 100 + date.getUTCSeconds();
  return String(day * 1_000_000 + time);
}
