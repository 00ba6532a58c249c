import { type SendingFailure, sendingFailures } from '@waxwing/contract/sending-failures.ts';
import type { i18n as Languages } from 'i18next';
import { faultText } from '../../parts/text/fault-text.ts';

/** Why an alert was not sent, which the server tells in English, in the reader's language. Pure. */

interface KnownFailure {
  readonly code: SendingFailure;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The sentences as patterns: their parameters are named groups. */
const patterns = Object.entries(sendingFailures).map(([code, sentence]) => {
  const parts = sentence.split(/\{\{(\w+)\}\}/);
  const source = parts.map((part, index) => (index % 2 === 0 ? part.replace(/[().]/g, '\\$&') : `(?<${part}>.+)`));
  return { code: code as SendingFailure, pattern: new RegExp(`^${source.join('')}$`, 's') };
});

function readFailure(message: string): KnownFailure | undefined {
  for (const { code, pattern } of patterns) {
    const found = pattern.exec(message);
    if (found !== null) return { code, parameters: found.groups ?? {} };
  }
  return undefined;
}

/** The reason in the reader's language; the words of a receiver unchanged. */
export function sendingFailureText(languages: Pick<Languages, 't' | 'exists' | 'language'>, message: string): string {
  const known = readFailure(message);
  if (known === undefined) return message;
  return faultText(languages, 'sendingFailures.*', { ...known, message });
}
