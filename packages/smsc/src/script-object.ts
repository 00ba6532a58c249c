import type { Span } from './smsc-script.ts';

/** What is wrong with a script, and where. */
export interface ScriptFault {
  /** Such as `rules[2].answer_after`. Empty: the script as a whole. */
  readonly field: string;
  readonly message: string;
}

const longestMs = 7 * 24 * 3_600_000;
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const spanForm = /^(\d{1,9})(ms|s|m|h)(?:-(\d{1,9})(ms|s|m|h))?$/;

/** An object of a script whose fields are read one by one. Faults are noted, and read as a field that is not given. */
export class ScriptObject {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #faults: ScriptFault[];
  readonly #known = new Set<string>();

  /** @param path of the object; empty for the script itself */
  constructor(value: unknown, path: string, faults: ScriptFault[]) {
    this.#path = path;
    this.#faults = faults;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    this.#fields = isObject ? (value as Record<string, unknown>) : {};
    if (!isObject) faults.push({ field: path, message: 'must be a JSON object.' });
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name);
  }

  fault(name: string, message: string): undefined {
    this.#faults.push({ field: this.#pathOf(name), message });
  }

  /** A text that passes. @param form completes the sentence "must be …" */
  text(name: string, form: string, passes: (text: string) => boolean): string | undefined {
    const value = this.#read(name);
    if (value === undefined || (typeof value === 'string' && passes(value))) return value as string | undefined;
    return this.fault(name, `must be ${form}.`);
  }

  oneOf<Known extends string | number>(name: string, known: readonly Known[]): Known | undefined {
    const value = this.#read(name);
    const found = known.find((each) => each === value);
    if (found !== undefined || value === undefined) return found;
    return this.fault(name, `must be one of: ${known.map((each) => JSON.stringify(each)).join(', ')}.`);
  }

  /** A whole number, also in hexadecimal as a text: `"0x58"`. */
  whole(name: string, least: number, most: number): number | undefined {
    const value = this.#read(name);
    const number = typeof value === 'string' && /^0x[0-9a-f]{1,8}$/i.test(value) ? Number(value) : value;
    if (number === undefined) return undefined;
    if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most) return number;
    return this.fault(name, `must be a whole number from ${least} to ${most}.`);
  }

  share(name: string): number | undefined {
    const value = this.#read(name);
    if (value === undefined || (typeof value === 'number' && value >= 0 && value <= 1)) return value;
    return this.fault(name, 'must be a number from 0 to 1.');
  }

  flag(name: string): boolean | undefined {
    const value = this.#read(name);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.fault(name, 'must be true or false.');
  }

  /** `200ms`, or `1s-5s` for a time in between. */
  span(name: string): Span | undefined {
    const value = this.#read(name);
    if (value === undefined) return undefined;
    const [, least = '', unit = '', most = least, mostUnit = unit] = spanForm.exec(String(value)) ?? [];
    const span = { least: Number(least) * (units[unit] ?? 0), most: Number(most) * (units[mostUnit] ?? 0) };
    if (unit !== '' && span.least <= span.most && span.most <= longestMs) return span;
    return this.fault(name, 'must be a time such as "200ms", or "1s-5s" for one in between; at most "168h".');
  }

  object(name: string): ScriptObject | undefined {
    const value = this.#read(name);
    return value === undefined ? undefined : new ScriptObject(value, this.#pathOf(name), this.#faults);
  }

  objects(name: string): readonly ScriptObject[] | undefined {
    const value = this.#read(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.fault(name, 'must be a list.');
    return value.map((each, index) => new ScriptObject(each, `${this.#pathOf(name)}[${index}]`, this.#faults));
  }

  /** Notes the fields that nobody has read: most often a name with a typing error. */
  end(): void {
    for (const name of Object.keys(this.#fields)) {
      if (!this.#known.has(name))
        this.fault(name, `is no field here. There are: ${[...this.#known].sort().join(', ')}.`);
    }
  }

  #read(name: string): unknown {
    this.#known.add(name);
    return this.has(name) ? this.#fields[name] : undefined;
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}
