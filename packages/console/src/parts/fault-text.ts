import type { i18n as Languages } from 'i18next';

/** Where the texts of the server's codes are; `*` stands for the code. */
type Place =
  | 'auditFaults.*'
  | 'certificateFaults.*'
  | 'doctorFindings.*.message'
  | 'doctorFindings.*.remedy'
  | 'inputOfSeveral.*'
  | 'inputRules.*'
  | `problemReasons.${string}.*`
  | 'urlFaults.*';

/** What the server says: in its own words, and by a code. */
interface Told {
  readonly message: string;
  readonly code?: string;
  readonly parameters?: Readonly<Record<string, string | number>>;
}

/**
 * What the server says, in the reader's language. In the server's words: what has no code or a newer one than this
 * console knows, and all of it in English, for which there are no texts by code.
 */
export function faultText(
  languages: Pick<Languages, 't' | 'exists'>,
  place: Place,
  { code, message, parameters = {} }: Told,
): string {
  const key = code === undefined ? undefined : place.replace('*', code);
  if (key === undefined || !languages.exists(key)) {
    // Of an input the words may be a clause that goes on after its name; all others are shown as they are: `chmod 700 …`.
    return place === 'certificateFaults.*' ? sentence(message) : message;
  }
  // Only some languages have these keys, so the type of all keys does not know them.
  const tell = languages.t as (key: string, options: object) => string;
  const { certificate, serial = '' } = parameters;
  const values =
    certificate === '' ? { ...parameters, certificate: tell('certificateWithSerial', { serial }) } : parameters;
  // Apart from the options, which have names of their own: `count` would ask for a plural form.
  return tell(key, { replace: values });
}

const sentence = (clause: string) => clause.charAt(0).toUpperCase() + clause.slice(1);
