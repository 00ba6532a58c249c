import type { i18n as Languages } from 'i18next';
import { formatInstant } from './format-instant.ts';

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
  languages: Pick<Languages, 't' | 'exists' | 'language'>,
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
  const values = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, momentText(languages.language, value)]),
  );
  if (certificate === '') values.certificate = tell('certificateWithSerial', { serial });
  // Apart from the options, which have names of their own: `count` would ask for a plural form.
  return tell(key, { replace: values });
}

/** The server writes moments as RFC 3339, in UTC. */
function momentText(language: string, value: string | number): string | number {
  const isMoment = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value);
  return isMoment ? formatInstant(value, language) : value;
}

const sentence = (clause: string) => clause.charAt(0).toUpperCase() + clause.slice(1);
