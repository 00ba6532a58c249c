import { duration, InvalidSetting } from '../config/setting-kinds.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { type Arguments, type Option, Usage } from './command.ts';

export const phoneNumberOption = {
  type: 'string',
  required: true,
  value: 'N',
  help: 'International with +, or national where the organization has a default region',
} as const satisfies Option;

export const organizationOption = {
  type: 'string',
  required: true,
  value: 'ID',
  help: 'The organization, as "organization list" shows it',
} as const satisfies Option;

/** Of commands that name a thing. */
export const ownerOption = {
  type: 'string',
  value: 'ID',
  help: 'The organization it belongs to; left out, it is looked for in all that you may see',
} as const satisfies Option;

/** Of lists. */
export const onlyOfOption = {
  type: 'string',
  value: 'ID',
  help: 'Only those of this organization',
} as const satisfies Option;

/** An object with this one member, or an empty one when there is no value: spread into a body or a query. */
export function present<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: Value };
}

/** The option's value as `map` reads it; undefined when it was not given. */
export function mapped<Value>(
  args: Arguments,
  option: string,
  map: (option: string, text: string) => Value,
): Value | undefined {
  const text = args.optional(option);
  return text === undefined ? undefined : map(option, text);
}

/** Of two flags that contradict each other: whether `yes` was given; undefined when neither was. */
export function either(args: Arguments, yes: string, no: string): boolean | undefined {
  if (args.flag(yes) && args.flag(no)) throw new Usage(`Give --${yes} or --${no}, not both.`);
  if (args.flag(yes)) return true;
  return args.flag(no) ? false : undefined;
}

/** @returns the one of `known` that was written */
export function oneOf<Known extends string>(option: string, text: string, known: readonly Known[]): Known {
  const found = known.find((each) => each === text);
  if (found !== undefined) return found;
  throw new Usage(`--${option} must be ${known.slice(0, -1).join(', ')} or ${known.at(-1)}.`);
}

/** What was given several times, and with commas in between. */
export function listed(args: Arguments, option: string): readonly string[] {
  return args.list(option).flatMap((list) => list.split(',').map((entry) => entry.trim()));
}

/** @returns undefined when it was not given; the word `none` is an empty list */
export function allowOf(args: Arguments): readonly string[] | undefined {
  const entries = listed(args, 'allow');
  if (entries.length === 0) return undefined;
  return entries.length === 1 && entries[0] === 'none' ? [] : entries;
}

/** A number, or the word `off` for null. */
export function numberOrOff(option: string, text: string, most: number): number | null {
  return text === 'off' ? null : wholeNumber(option, text, 1, most);
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
  return readMoment(option, text, '23:59:59.999');
}

/** As `moment`, but a day stands for its beginning: what happened since a day includes that day. */
export function since(option: string, text: string): number {
  return readMoment(option, text, '00:00:00');
}

/** A moment until which something is good, or the word `never` for null. */
export function expiry(option: string, text: string): number | null {
  return text === 'never' ? null : moment(option, text);
}

/** What the API calls it: a moment in RFC 3339; null stays null. */
export function momentText(at: number | null | undefined): string | null | undefined {
  return typeof at === 'number' ? toRfc3339(at) : at;
}

/** @param timeOfDay of a day alone, in UTC */
function readMoment(option: string, text: string, timeOfDay: string): number {
  const [whole, day] = momentForm.exec(text) ?? [];
  const at = whole === day ? Date.parse(`${day}T${timeOfDay}Z`) : Date.parse(text.toUpperCase());
  // Date.parse rolls 30 February over into March.
  const isDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day);
  if (isDay === true && !Number.isNaN(at)) return at;
  throw new Usage(`--${option} must be a day such as 2030-01-31 or a moment such as 2030-01-31T12:00:00Z.`);
}

/** For the notes of a command that only a server with the message gateway carries out. */
export const needsMessaging = 'Refused where WAXWING_MODULES leaves the message gateway out: nothing would be sent.';
