/** Builds the web console into packages/console/dist, with a gzip and a brotli form beside every text file. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages/console');
const dist = join(folder, 'dist');

await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' });

for (const name of globSync('**/*.{js,css,svg}', { cwd: dist })) {
  const path = join(dist, name);
  const bytes = readFileSync(path);
  const forms = {
    gz: gzipSync(bytes, { level: 9 }),
    // Quality 11 takes four times as long for 3 % less.
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  };
  for (const [ending, compressed] of Object.entries(forms)) {
    if (compressed.length < bytes.length) writeFileSync(`${path}.${ending}`, compressed);
  }
}
