import type { ReasonOf, ReasonParameters } from '@waxwing/contract/management-api/problem-reasons.ts';
import { commonPasswords } from './common-passwords.ts';

/** NIST SP 800-63B §3.1.1.2: length counts, composition does not, and what is tried first is refused. */
export const passwordLength = { least: 10, most: 256 } as const;

/** Words of the person or the product, which a guesser tries first. */
export interface PasswordContext {
  readonly email: string;
  /** The name people know the service by in their browser. */
  readonly host: string;
}

export type PasswordFault = Exclude<ReasonOf<'password_rejected'>, 'missing'>;

type Told<Fault extends PasswordFault> = {
  readonly detail: string;
  readonly parameters: ReasonParameters<'password_rejected', Fault>;
};

/** Whole sentences for people, and the figures in them. */
export const passwordFaults: { readonly [Fault in PasswordFault]: Told<Fault> } = {
  too_short: {
    detail: `A password has at least ${passwordLength.least} characters; several words are good.`,
    parameters: { least: passwordLength.least },
  },
  too_long: {
    detail: `A password has at most ${passwordLength.most} characters.`,
    parameters: { most: passwordLength.most },
  },
  not_text: { detail: 'A password holds no control characters.', parameters: {} },
  common: {
    detail: 'This password is among the first that are tried. Choose another one, such as several unrelated words.',
    parameters: {},
  },
  context: {
    detail: 'This password is little more than your mail address or the name of this service. Choose another one.',
    parameters: {},
  },
  repetitive: {
    detail: 'This password repeats one thing or follows the keyboard or the alphabet. Choose another one.',
    parameters: {},
  },
};

/**
 * The one form of a password that is hashed: NFKC (RFC 8265 would have NFC; NIST recommends NFKC or NFKD), so that it
 * does not matter how a keyboard writes ü. Spaces count as they are.
 */
export function normalizedPassword(password: string): string {
  return password.normalize('NFKC');
}

/** Why a password may not be chosen; undefined when it may. Says nothing of whether it is right. */
export function passwordFault(password: string, context: PasswordContext): PasswordFault | undefined {
  if (!password.isWellFormed() || /\p{Cc}/u.test(password)) return 'not_text';
  const normalized = normalizedPassword(password);
  const length = [...normalized].length;
  if (length < passwordLength.least) return 'too_short';
  if (length > passwordLength.most) return 'too_long';
  const lower = normalized.toLowerCase();
  if (isRepetitive(lower)) return 'repetitive';
  if (isCommon(lower)) return 'common';
  return isContext(lower, context) ? 'context' : undefined;
}

/** Digits and signs around a common word, or for its letters, do not make it another one. */
function isCommon(lower: string): boolean {
  const letters = asLetters(lower);
  return [lower, core(lower), letters, core(letters), asLetters(core(lower))].some((form) => commonPasswords.has(form));
}

const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

function asLetters(text: string): string {
  return text.replace(/[013457@$!]/g, (sign) => lookalikes[sign] ?? sign);
}

/** Without what is neither letter nor ideograph at both ends. */
function core(text: string): string {
  return text.replace(/^\P{L}+/u, '').replace(/\P{L}+$/u, '');
}

const rows = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
];
const runs = rows.flatMap((row) => [row, [...row].reverse().join('')]);

/** At most three different characters, one short thing repeated, or two runs along the keyboard at the most. */
function isRepetitive(lower: string): boolean {
  return new Set(lower).size <= 3 || /^(.{1,5})\1+.{0,2}$/u.test(lower) || countRuns(lower) <= 2;
}

/** How many pieces of keyboard rows and alphabets make up the text, a single character being a piece, too. */
function countRuns(text: string): number {
  let pieces = 0;
  for (let at = 0; at < text.length; pieces++) at += longestRun(text.slice(at));
  return pieces;
}

function longestRun(text: string): number {
  let longest = 1;
  for (const run of runs) {
    while (longest < text.length && run.includes(text.slice(0, longest + 1))) longest++;
  }
  return longest;
}

/** Less than this much of its own, and a password is its context. */
const ownCharacters = 6;

function isContext(lower: string, { email, host }: PasswordContext): boolean {
  const words = ['waxwing', email, ...email.split(/[@.+_-]/), ...host.split('.')]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= 4)
    .sort((one, other) => other.length - one.length);
  let own = lower;
  for (const word of words) own = own.replaceAll(word, '');
  // Nothing of the context in it: then all of it is its own.
  return own !== lower && [...own].length < ownCharacters;
}
