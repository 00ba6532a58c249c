/** For threads and processes: no secrets, only Node's compile cache, without which each loads the type stripper. */
export function bareEnvironment(): Record<string, string> {
  const { NODE_COMPILE_CACHE: folder } = process.env;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
