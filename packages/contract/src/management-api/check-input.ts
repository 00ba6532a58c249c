import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import Format from 'typebox/format';
import { excerpt } from './excerpt.ts';
import type { Fault } from './shared-schemas.ts';

/** The faults of a value. TypeBox reports eight at most. */
export type CheckInput = (value: unknown) => readonly Fault[];

/** RFC 3339 allows leap seconds, and this check a text in brackets after the time. Date accepts neither. */
Format.Set('date-time', (text) => Format.IsDateTime(text) && !Number.isNaN(Date.parse(text)));

interface RawFault {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Record<string, unknown>;
  readonly message: string;
}

/**
 * Prepares a schema for checking. Faults name their field like `files[0].name`, each field once, with its first fault.
 */
export function schemaCheck(schema: TSchema): CheckInput {
  let compiled: Validator | undefined;
  return (value) => {
    // At first use: a server has hundreds of schemas, and a start waits for none of them.
    compiled ??= Compile(schema);
    if (compiled.Check(value)) return [];
    return describe(compiled.Errors(excerpt(value, schema)) as unknown as readonly RawFault[]);
  };
}

/** As `schemaCheck`, but also refuses texts that no database can store (U+0000, lone surrogates) and deep nesting. */
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

/** A union reports faults of each branch and then its own: its own comes first, the branches' last. */
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
      // additionalProperties reports the same fault in better words.
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

/** Described values are at most five deep. Deeper is only an open object, such as a WebAuthn credential. */
const deepest = 32;

/** The first thing that cannot be stored. The depth is limited, so the stack suffices here and for JSON.stringify. */
function unstorable(value: unknown, at: string, depth = 0): Fault | undefined {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return undefined;
    return { field: at, message: 'must not contain U+0000 or half a character' };
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
