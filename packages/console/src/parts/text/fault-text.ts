import type { i18n as Languages } from 'i18next';
import { formatInstant } from '../marks/format-instant.ts';

/** Where the texts of the server's codes are; `*` stands for the code. */
type Place =
  | 'alertNotices.*.subject'
  | 'alertNotices.*.detail'
  | 'auditFaults.*'
  | 'carrierFaults.*'
  | 'certificateFaults.*'
  | 'doctorFindings.*.message'
  | 'doctorFindings.*.remedy'
  | 'inputOfSeveral.*'
  | 'inputRules.*'
  | `problemReasons.${string}.*`
  | 'sendingFailures.*'
  | 'urlFaults.*';

/** What the server says: in its own words, and by a code. */
interface Told {
  readonly message: string;
  readonly code?: string;
  readonly parameters?: Readonly<Record<string, string | number>>;
}

/**
 * A message of the server in the reader's language. Messages without a code, with an unknown code, and all messages in
 * English stay in the server's words. Times are told in the reader's zone.
 */
export function faultText(
  languages: Pick<Languages, 't' | 'exists' | 'language'>,
  place: Place,
  { code, message, parameters = {} }: Told,
): string {
  const key = code === undefined ? undefined : place.replace('*', code);
  if (key === undefined || !languages.exists(key)) {
    // The words about an input may continue its name. All others are shown unchanged: `chmod 700 …`.
    const told = Object.values(parameters).reduce<string>(
      (text, value) => (isMoment(value) ? text.replaceAll(value, formatInstant(value, languages.language)) : text),
      message,
    );
    return place === 'certificateFaults.*' ? sentence(told) : told;
  }
  // Only some languages have these keys, so the type of all keys does not know them.
  const tell = languages.t as (key: string, options: object) => string;
  const { certificate, serial = '' } = parameters;
  const values = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, momentText(languages.language, value)]),
  );
  if (certificate === '') values.certificate = tell('certificateWithSerial', { serial });
  // Not among the options: `count` there would ask for a plural form.
  return tell(key, { replace: values });
}

/** The server writes times as RFC 3339, in UTC. */
function momentText(language: string, value: string | number): string | number {
  return isMoment(value) ? formatInstant(value, language) : value;
}

function isMoment(value: string | number): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value);
}

const sentence = (clause: string) => clause.charAt(0).toUpperCase() + clause.slice(1);
