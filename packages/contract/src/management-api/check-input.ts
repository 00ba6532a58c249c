import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import Format from 'typebox/format';
import { excerpt } from './excerpt.ts';
import type { Fault } from './shared-schemas.ts';

/** The faults of a value, of very many the first (TypeBox complains eight times at most); none: it is as described. */
export type CheckInput = (value: unknown) => readonly Fault[];

/** RFC 3339 knows leap seconds, and this check what stands in brackets behind a time: no Date does. */
Format.Set('date-time', (text) => Format.IsDateTime(text) && !Number.isNaN(Date.parse(text)));

interface RawFault {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Record<string, unknown>;
  readonly message: string;
}

/**
 * Prepares a schema for checking. Faults name their field as messages do elsewhere: `files[0].name`. Each field is named
 * once, with the first thing that is wrong with it.
 */
export function schemaCheck(schema: TSchema): CheckInput {
  const compiled = Compile(schema);
  const errorsOf = (value: unknown) => compiled.Errors(excerpt(value, schema)) as unknown as readonly RawFault[];
  return (value) => (compiled.Check(value) ? [] : describe(errorsOf(value)));
}

/**
 * The same for what comes in: texts that no database can hold (U+0000, half a character) are faults as well, and what is nested
 * without end where anything may stand.
 */
export function inputCheck(schema: TSchema): CheckInput {
  const check = schemaCheck(schema);
  return (value) => {
    const faults = check(value);
    if (faults.length > 0) return faults;
    const fault = unstorable(value, '');
    return fault === undefined ? [] : [fault];
  };
}

function describe(errors: readonly RawFault[]): readonly Fault[] {
  const byField = new Map<string, string>();
  for (const error of [...errors].sort((one, other) => weight(one) - weight(other))) {
    for (const { field, message } of faultsOf(error)) {
      if (!byField.has(field)) byField.set(field, message);
    }
  }
  const faults = [...byField].map(([field, message]) => ({ field, message }));
  return faults.length > 0 ? faults : [{ field: '', message: 'is not accepted' }];
}

/** A union complains about each of its branches and then about itself: its own words come first, a branch's last. */
function weight({ keyword, schemaPath }: RawFault): number {
  return keyword !== 'anyOf' && /\/anyOf\/\d/.test(schemaPath) ? 1 : 0;
}

function faultsOf({ keyword, instancePath, params, message }: RawFault): readonly Fault[] {
  const at = fieldOf(instancePath);
  const inside = (name: string) => (at === '' ? name : `${at}.${name}`);
  switch (keyword) {
    case 'additionalProperties':
      return namesIn(params.additionalProperties).map((name) => ({
        field: inside(name),
        message: 'is not known here',
      }));
    case 'required':
      return namesIn(params.requiredProperties).map((name) => ({ field: inside(name), message: 'is missing' }));
    case 'boolean':
      // Said by additionalProperties as well, in better words.
      return [];
    case 'enum':
      return [{ field: at, message: `must be one of ${namesIn(params.allowedValues).join(', ')}` }];
    case 'const':
      return [{ field: at, message: `must be ${JSON.stringify(params.allowedValue)}` }];
    case 'anyOf':
      return [{ field: at, message: 'has none of the forms that are accepted' }];
    default:
      return [{ field: at, message }];
  }
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** `/files/0/name` → `files[0].name`. */
function fieldOf(pointer: string): string {
  return pointer
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}

/** What is described anywhere goes five deep. Deeper is only what stands in an open object, a credential of WebAuthn. */
const deepest = 32;

/** The first thing in it that cannot be kept; walking through it, and whatever writes it as JSON, has the stack for the rest. */
function unstorable(value: unknown, at: string, depth = 0): Fault | undefined {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return undefined;
    return { field: at, message: 'must not contain U+0000 or half of a character' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === deepest) return { field: at, message: `must not be nested more than ${deepest} deep` };
  const inside = (name: string) => (Array.isArray(value) ? `${at}[${name}]` : at === '' ? name : `${at}.${name}`);
  for (const [name, item] of Object.entries(value)) {
    const fault = unstorable(item, inside(name), depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
