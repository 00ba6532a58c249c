import type { i18n as Languages } from 'i18next';
import type { ApiProblem } from '../api/api-problem.ts';
import { faultText } from './fault-text.ts';

export interface ProblemTexts {
  readonly title: string;
  readonly remedy: string;
  /** What the server says beyond that; empty where it says no more than the title. */
  readonly words: string;
}

const known = [
  'unreachable',
  'unexpected_answer',
  'invalid_parameter',
  'invalid_request',
  'too_many_requests',
  'service_unavailable',
  'internal_error',
  'not_found',
  'route_not_found',
  'body_too_large',
  'cursor_expired',
  'conflict',
  'idempotency_conflict',
  'unauthenticated',
  'role_not_permitted',
  'reauthentication_required',
  'origin_not_allowed',
  'precondition_failed',
  'certificate_rejected',
  'certificate_not_found',
  'wrong_credentials',
  'sign_in_expired',
  'sso_refused',
  'link_expired',
  'password_rejected',
  'factor_rejected',
] as const;
type Known = (typeof known)[number];

/** Those whose detail says what a title cannot: which input, which state. */
const telling: readonly string[] = [
  'unexpected_answer',
  'invalid_parameter',
  'invalid_request',
  'conflict',
  'origin_not_allowed',
  'password_rejected',
  'factor_rejected',
  'sso_refused',
];

/**
 * A problem in the reader's language; one that this console does not know by the server's words alone. Where the reason
 * is told in that language, it says what to do as well, more closely than the remedy of the code.
 */
export function problemTexts(
  languages: Pick<Languages, 't' | 'exists' | 'language'>,
  problem: ApiProblem,
): ProblemTexts {
  const { t } = languages;
  const { code, message, faults, retryAfterSeconds } = problem;
  const key = known.find((each) => each === code);
  if (key === undefined) return { title: message, remedy: '', words: '' };
  const title = t(`problem.${key satisfies Known}.title`);
  const why = reasonText(languages, problem);
  if (why !== undefined) return { title, remedy: '', words: why };
  // Without a sentence of the server, as from the fragment of an address, the code stands in its place.
  const says = telling.includes(code) && faults.length === 0 && message !== code;
  return {
    title,
    remedy: t(`problem.${key}.remedy`, { seconds: retryAfterSeconds ?? 10 }),
    words: says ? message : '',
  };
}

/** The same in one line, for a notice that goes away by itself. */
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
