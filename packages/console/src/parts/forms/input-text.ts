import type { i18n as Languages } from 'i18next';
import { faultText } from '../text/fault-text.ts';

/**
 * Why an input was refused, in the reader's language if there is a rule for its name, else in the server's words. One
 * input of several is named by its place.
 * @param field as the server names it: `mobiles[3]`, `head.mac`
 */
export function inputText(
  languages: Pick<Languages, 't' | 'exists' | 'language'>,
  { field, message }: { readonly field: string; readonly message: string },
): string {
  const path = field.replace(/\[\d+\]/g, '');
  const last = path.slice(path.lastIndexOf('.') + 1);
  const code = [path, last].find((each) => each !== '' && languages.exists(`inputRules.${each}`));
  if (code === undefined) return message;
  const rule = faultText(languages, 'inputRules.*', { code, message });
  const [, index] = /\[(\d+)\]$/.exec(field) ?? [];
  if (index === undefined) return rule;
  return faultText(languages, 'inputOfSeveral.*', {
    code: 'rule',
    message: rule,
    parameters: { place: Number(index) + 1, rule },
  });
}
