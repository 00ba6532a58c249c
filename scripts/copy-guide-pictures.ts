/**
 * Copies the guides' pictures from the console stories' screenshots, in English, wide and light:
 *
 * npm run test:full -- console- && node scripts/copy-guide-pictures.ts
 *
 * A guide names a picture by its page's name in the story: `../images/certificates.png`.
 */
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const taken = join(root, '.tmp', 'pictures');
const images = join(root, 'docs', 'images');

const names = globSync(['README.md', 'docs/**/*.md'], { cwd: root }).flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?:\.\.|docs)\/images\/([\w-]+)\.png\)/g)].map(
    ([, name = '']) => name,
  ),
);
mkdirSync(images, { recursive: true });
const missing = [...new Set(names)].filter((name) => {
  const picture = join(taken, `en-1440-light-${name}.png`);
  if (!existsSync(picture)) return true;
  copyFileSync(picture, join(images, `${name}.png`));
  return false;
});
console.log(`${new Set(names).size - missing.length} pictures copied`);
if (missing.length > 0) {
  console.error(`No story has taken ${missing.join(', ')}.`);
  process.exitCode = 1;
}
