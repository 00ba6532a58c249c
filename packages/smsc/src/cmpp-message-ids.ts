import { messageIdOf } from '@waxwing/cmpp/cmpp-message-id.ts';
import { timeDigits } from './time-digits.ts';

const mostPerSecond = 2 ** 16;
/** China has one time, eight hours before UTC, all year round. */
const chinaOffsetMs = 8 * 3_600_000;

/** Gives each message an id of its own (CMPP 3.0.0 §8.4.3.2): the time, the gateway, a number. */
export class CmppMessageIds {
  readonly #gateway: number;
  #second = 0;
  #sequence = 0;

  /** @param gateway 0 to 2^22 - 1 */
  constructor(gateway: number) {
    this.#gateway = gateway;
  }

  /** @param now epoch milliseconds. A clock that is set back gives no id twice. */
  next(now: number): string {
    const second = Math.floor(now / 1000);
    const isSpent = this.#sequence >= mostPerSecond;
    if (second > this.#second || isSpent) {
      this.#second = Math.max(second, isSpent ? this.#second + 1 : second);
      this.#sequence = 0;
    }
    const date = new Date(this.#second * 1000 + chinaOffsetMs);
    const sequence = this.#sequence;
    this.#sequence += 1;
    return messageIdOf({
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      gateway: this.#gateway,
      sequence,
    });
  }
}

/** YYMMDDHHMM in China. @param at epoch milliseconds */
export function cmppTime(at: number): string {
  return timeDigits(at + chinaOffsetMs).slice(2, 12);
}
