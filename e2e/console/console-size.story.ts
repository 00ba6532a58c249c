import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const dist = fileURLToPath(new URL('../../packages/console/dist', import.meta.url));

/** Vite's entry for one built file. */
interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

type Manifest = Readonly<Record<string, Chunk>>;

const gzipBytes = (file: string): number => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;

/** A file with everything it imports at load, styles included. */
function loadedWith(manifest: Manifest, names: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string): void => {
    const chunk = manifest[name];
    if (chunk === undefined || seen.has(name)) return;
    seen.add(name);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const each of chunk.imports ?? []) visit(each);
  };
  for (const name of names) visit(name);
  return files;
}

/** The page's own script and its companions: a language, antd's words for it, and the frame. */
const firstLoad = [
  'index.html',
  'src/i18n/texts-zh-cn.ts',
  'src/pages/shell/console-frame.tsx',
  'src/pages/certificates/certificate-list-page.tsx',
];

test('the first load is at most 450 kB, compressed', (context) => {
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest;
  for (const name of firstLoad) assert.ok(manifest[name] !== undefined, `${name} is not in the build any more`);
  const sizes = [...loadedWith(manifest, firstLoad)].map((file) => [file, gzipBytes(file)] as const);
  const entry = [...loadedWith(manifest, ['index.html'])].reduce((sum, file) => sum + gzipBytes(file), 0);
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  context.diagnostic(
    `entry ${(entry / 1000).toFixed(1)} kB, with frame and first list ${(total / 1000).toFixed(1)} kB`,
  );
  assert.ok(total <= 450_000, `${total} bytes:\n${sizes.map(([file, bytes]) => `${bytes} ${file}`).join('\n')}`);
});
