import { sendingFailures } from '@waxwing/contract/sending-failures.ts';
import type { i18n as Languages } from 'i18next';
import { faultText } from '../../parts/text/fault-text.ts';
import { sentenceReader } from '../../parts/text/read-sentence.ts';

/** Why an alert was not sent, which the server tells in English, in the reader's language. Pure. */

const readFailure = sentenceReader(sendingFailures);

/** The reason in the reader's language; the words of a receiver unchanged. */
export function sendingFailureText(languages: Pick<Languages, 't' | 'exists' | 'language'>, message: string): string {
  const known = readFailure(message);
  if (known === undefined) return message;
  return faultText(languages, 'sendingFailures.*', { ...known, message });
}
