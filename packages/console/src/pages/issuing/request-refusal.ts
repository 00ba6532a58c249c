import { type RequestRefusal, requestRefusals } from '@waxwing/contract/requested-names.ts';
import type { i18n as Languages } from 'i18next';
import type { ApiProblem } from '../../api/api-problem.ts';
import { inputText } from '../../parts/forms/input-text.ts';
import { problemTexts } from '../../parts/text/problem-texts.ts';

/** The fields of the form, by which the server names them. */
export const requestFields = [
  ...(['domains', 'authorities', 'challenge', 'dns_provider', 'name', 'key', 'profile'] as const),
] as const;
export type RequestField = (typeof requestFields)[number];

/** The field of the form that a refusal is about; undefined: it is about none. */
export function refusedField({ field = '' }: Pick<ApiProblem, 'field'>): RequestField | undefined {
  const [name = ''] = field.split(/[.[]/);
  return requestFields.find((each) => each === name);
}

/** Why the server refused a field, in the reader's language. */
export function refusalText(languages: Languages, problem: ApiProblem): string {
  const reason = requestRefusals.find((each): each is RequestRefusal => each === problem.reason);
  if (reason !== undefined) return languages.t(`issuing.request.refusals.${reason}`);
  const { title, words, remedy } = problemTexts(languages, problem);
  const { code, field = '', message } = problem;
  if (code === 'invalid_parameter') return inputText(languages, { field, message });
  return [title, words === '' ? remedy : words].filter((text) => text !== '').join(' ');
}
