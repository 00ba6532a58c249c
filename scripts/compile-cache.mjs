// Plain JavaScript: any Node of the machine reads this file (20 or newer).
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * The folder of Node's compile cache (https://nodejs.org/api/module.html#module-compile-cache): types are stripped
 * once, not at every start, and commands start twice as fast.
 *
 * Node runs its content. So it is not the system's temporary folder, but belongs to those who may change the code.
 * Where it cannot be written, everything works without it.
 */
export const compileCache = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));

/** For this process, its threads and its children. */
export function useCompileCache() {
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  // Older versions lack it.
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
}
