import type { i18n as Languages } from 'i18next';
import { faultText } from '../../parts/text/fault-text.ts';
import type { Alert } from './alert-scope.ts';

/** The sentence of an alert in the reader's language. */
export function alertWords(
  languages: Pick<Languages, 't' | 'exists' | 'language'>,
  { notice: code, subject, detail, parameters }: Pick<Alert, 'notice' | 'subject' | 'detail' | 'parameters'>,
) {
  const told = (place: 'subject' | 'detail', message: string) =>
    faultText(languages, `alertNotices.*.${place}`, { code, message, parameters });
  return { subject: told('subject', subject), detail: told('detail', detail) };
}
