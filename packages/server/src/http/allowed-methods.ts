/** Which methods are known at which path. Asked only when the router found nothing, so it may take its time. */
export interface AllowedMethods {
  /** @param pattern a route pattern: literal segments, `:name` for one segment, a final `*` for the rest */
  add(pattern: string, methods: readonly string[]): void;
  /** All methods known at this (decoded) path, sorted; none: the path itself is unknown. */
  at(path: string): readonly string[];
}

export function createAllowedMethods(): AllowedMethods {
  const known = new Map<string, Set<string>>();
  return {
    add(pattern, methods) {
      const set = known.get(pattern) ?? new Set();
      known.set(pattern, set);
      for (const method of methods) set.add(method);
    },
    at(path) {
      const segments = path.split('/');
      const found = new Set<string>();
      for (const [pattern, methods] of known) {
        if (matches(pattern.split('/'), segments)) for (const method of methods) found.add(method);
      }
      return [...found].sort();
    },
  };
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  for (const [index, expected] of pattern.entries()) {
    if (expected === '*') return path.length > index;
    const segment = path[index];
    if (segment === undefined) return false;
    if (expected.startsWith(':') ? segment === '' : segment !== expected) return false;
  }
  return pattern.length === path.length;
}
