import type { i18n as Languages } from 'i18next';
import type { ApiProblem } from '../../api/api-problem.ts';
import { faultText } from './fault-text.ts';

interface ProblemTexts {
  readonly title: string;
  readonly remedy: string;
  /** What the server says beyond the title, if anything. */
  readonly words: string;
}

/** Codes whose detail says more than a title can: which input, which state. */
const telling: readonly string[] = [
  'unexpected_answer',
  'invalid_parameter',
  'invalid_request',
  'conflict',
  'certificate_exists',
  'names_lost',
  'origin_not_allowed',
  'password_rejected',
  'factor_rejected',
  'sso_refused',
];

/**
 * A problem in the reader's language; an unknown one in the server's words. A translated reason replaces the remedy of
 * the code: it is more precise.
 */
export function problemTexts(
  languages: Pick<Languages, 't' | 'exists' | 'language'>,
  problem: ApiProblem,
): ProblemTexts {
  const { t } = languages;
  const { code, message, faults, retryAfterSeconds } = problem;
  // The server may send any text. The cast only satisfies the type of `t`: `exists` checks the key.
  const key = code as 'conflict';
  if (!/^\w+$/.test(code) || !languages.exists(`problem.${code}.title`))
    return { title: message, remedy: '', words: '' };
  const title = t(`problem.${key}.title`);
  const why = reasonText(languages, problem);
  if (why !== undefined) return { title, remedy: '', words: why };
  // Where the server gave no sentence, as in the fragment of an address, the message is the code.
  const says = telling.includes(code) && faults.length === 0 && message !== code;
  return {
    title,
    remedy: t(`problem.${key}.remedy`, { seconds: retryAfterSeconds ?? 10 }),
    words: says ? message : '',
  };
}

/** The same in one line, for a notice that disappears by itself. */
export function problemSentence(languages: Pick<Languages, 't' | 'exists' | 'language'>, problem: ApiProblem): string {
  const { title, remedy, words } = problemTexts(languages, problem);
  const rest = words === '' ? remedy : words;
  return rest === '' ? title : languages.t('problem.inOneLine', { title, rest });
}

function reasonText(
  languages: Pick<Languages, 't' | 'exists' | 'language'>,
  { code, reason, message, parameters }: ApiProblem,
): string | undefined {
  if (reason === undefined || !/^\w+$/.test(reason)) return undefined;
  const place = `problemReasons.${code}.*` as const;
  if (!languages.exists(place.replace('*', reason))) return undefined;
  return faultText(languages, place, { code: reason, message, parameters });
}
