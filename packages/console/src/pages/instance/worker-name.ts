import type { i18n as Languages } from 'i18next';
import { codeKey } from '../../i18n/code-key.ts';

/**
 * The name of a worker in the reader's language; the code of an unknown one. `submit 01a1…`: the kind, then the
 * carrier.
 * @param nameOf the name of a carrier by its id
 */
export function workerName(
  { t, exists }: Pick<Languages, 't' | 'exists'>,
  name: string,
  nameOf: (carrierId: string) => string,
): string {
  const [kind = '', ...of] = name.split(' ');
  const code = codeKey(kind);
  // The type of all keys does not know names that come from the server.
  if (!/^\w+$/.test(code) || !exists(`workerNames.${code}`)) return name;
  return [t(`workerNames.${code}` as 'workerNames.push'), ...of.map(nameOf)].join(' ');
}
