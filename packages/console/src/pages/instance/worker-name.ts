import type { i18n as Languages } from 'i18next';
import { codeKey } from '../../i18n/code-key.ts';

/**
 * What a worker of a node does, in the reader's language: `submit 01a1…` names the carrier after its kind. One that this
 * console does not know yet is shown by its code.
 */
export function workerName({ t, exists }: Pick<Languages, 't' | 'exists'>, name: string): string {
  const [kind = '', ...of] = name.split(' ');
  const code = codeKey(kind);
  // The type of all keys does not know names that come from the server.
  if (!/^\w+$/.test(code) || !exists(`workerNames.${code}`)) return name;
  return [t(`workerNames.${code}` as 'workerNames.push'), ...of].join(' ');
}
