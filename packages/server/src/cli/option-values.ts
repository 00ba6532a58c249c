import { duration, InvalidSetting } from '../config/setting-kinds.ts';
import { type Arguments, type Option, Usage } from './command.ts';

/** The options of lists that come in pages. */
export const pageOptions = {
  limit: { type: 'string', value: 'N', help: 'Show at most N, 1 to 1000 (default 1000)' },
  after: { type: 'string', value: 'ID', help: 'Go on after this id' },
} as const satisfies Record<string, Option>;

export function readLimit(args: Arguments, standard: number): number {
  return wholeNumber('limit', args.optional('limit') ?? String(standard), 1, 1000);
}

/** For people, below a page that is full: how to see the next one. */
export function nextPage(page: readonly { readonly id: string }[], limit: number): string {
  const last = page.at(-1);
  return last === undefined || page.length < limit ? '' : `\n\nThere may be more: --after ${last.id}`;
}

export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Usage(`--${option} must be a whole number from ${least} to ${most}.`);
}

/** @returns milliseconds */
export function span(option: string, text: string, most: string): number {
  if (text === '0') return 0;
  try {
    return duration('0ms', most).parse(text, '');
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error;
    throw new Usage(`--${option} must be a span such as 30m, 24h or 7d, or 0; at most ${most}.`);
  }
}

export function onOff(option: string, text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new Usage(`--${option} must be on or off.`);
}

const momentForm = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/**
 * A moment in RFC 3339, or a day, which stands for its end in UTC: what expires on a day is good on that day.
 * @returns epoch milliseconds
 */
export function moment(option: string, text: string): number {
  const [whole, day] = momentForm.exec(text) ?? [];
  const at = whole === day ? Date.parse(`${day}T23:59:59.999Z`) : Date.parse(text.toUpperCase());
  // Date.parse rolls 30 February over into March.
  const isDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day);
  if (isDay === true && !Number.isNaN(at)) return at;
  throw new Usage(`--${option} must be a day such as 2030-01-31 or a moment such as 2030-01-31T12:00:00Z.`);
}
