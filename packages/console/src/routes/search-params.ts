/** A path of the console; nothing else is gone to after signing in, whatever a link says. */
export function ownPath(next: unknown): { next?: string } {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}

/** A text of people's choice, numbers included: an address that looks like one is read as one. */
export function textOf<Name extends string>(name: Name, value: unknown): { [Key in Name]?: string } {
  const text = typeof value === 'number' ? String(value) : value;
  const isText = typeof text === 'string' && text !== '';
  return isText ? ({ [name]: text.slice(0, 200) } as { [Key in Name]: string }) : {};
}

/** One of these, or nothing. */
export function oneOf<Name extends string, Value extends string>(
  name: Name,
  value: unknown,
  values: readonly Value[],
): { [Key in Name]?: Value } {
  const known = values.find((each) => each === value);
  return known === undefined ? {} : ({ [name]: known } as { [Key in Name]: Value });
}
