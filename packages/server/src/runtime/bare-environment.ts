/**
 * The environment of a thread or process of ours that needs nothing of it: it may hold secrets. Only what Node has
 * compiled before is shared, where it is kept (scripts/compile-cache.mjs): without it each would load the type stripper,
 * 10 MiB of a thread.
 */
export function bareEnvironment(): Record<string, string> {
  const { NODE_COMPILE_CACHE: folder } = process.env;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
