/** Filters as they stand in a page's address. Pure. */

/** Reads a value of an address, which people may have changed; undefined for what makes no sense. */
type Reader = (given: unknown) => unknown;

type Defined<Values> = { readonly [Name in keyof Values]?: Exclude<Values[Name], undefined> };

type FiltersOf<Readers extends Readonly<Record<string, Reader>>> = Defined<{
  readonly [Name in keyof Readers]: ReturnType<Readers[Name]>;
}>;

export type FilterChange<Filters> = { readonly [Name in keyof Filters]?: Filters[Name] | undefined };

/** @returns reads the filters of an address; those that make no sense are left out */
export function filtersFrom<Readers extends Readonly<Record<string, Reader>>>(readers: Readers) {
  return (given: Readonly<Record<string, unknown>>): FiltersOf<Readers> => {
    const values = Object.entries(readers).map(([name, read]) => [name, read(given[name])] as const);
    return defined(Object.fromEntries(values)) as FiltersOf<Readers>;
  };
}

/** Without the values that are undefined. */
export function defined<Values extends object>(values: Values): Defined<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<Values>;
}

/** The filters after a change. A change to undefined removes a filter. */
export function narrowed<Filters extends object>(filters: Filters, change: FilterChange<Filters>): Filters {
  return defined({ ...filters, ...change }) as Filters;
}

/** A text that people search for. An address that looks like a number may have been read as one. */
export function searchText(given: unknown): string | undefined {
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  return String(given).trim().slice(0, 200) || undefined;
}

/** A filter that is either on or left out. */
export function switchedOn(given: unknown): true | undefined {
  return given === true || given === 'true' ? true : undefined;
}

export function oneOf<const Value>(values: readonly Value[]): (given: unknown) => Value | undefined {
  return (given) => values.find((each) => each === given);
}
