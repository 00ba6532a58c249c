/** Checks our Markdown pages' links into the repository. `node scripts/check-links.ts` prints each dead one. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

interface DeadLink {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** @param pages text by path from the root. @param exists whether a file or folder exists at such a path */
export function checkLinks(pages: ReadonlyMap<string, string>, exists: (path: string) => boolean): readonly DeadLink[] {
  return [...pages].flatMap(([path, text]) =>
    linksOf(text).flatMap(({ target, line }) => {
      const message = faultOf(path, target, pages, exists);
      return message === undefined ? [] : [{ path, line, message }];
    }),
  );
}

interface Link {
  readonly target: string;
  readonly line: number;
}

/** Links and images outside of code. Addresses with a scheme leave the repository. */
function linksOf(text: string): readonly Link[] {
  return proseLines(text).flatMap((prose, index) => {
    const targets = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)[^)]*\)|^\[[^\]]+\]:\s*<?([^\s>]+)/g)];
    return targets
      .map(([, inline, reference]) => ({ target: inline ?? reference ?? '', line: index + 1 }))
      .filter(({ target }) => !/^[a-z][a-z0-9+.-]*:/i.test(target));
  });
}

/** The lines, with fenced blocks and code spans left empty. */
function proseLines(text: string): readonly string[] {
  let fence = '';
  return text.split('\n').map((line) => {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1] ?? '';
    const wasOpen = fence !== '';
    if (mark !== '' && (fence === '' || fence === mark)) fence = wasOpen ? '' : mark;
    return wasOpen || fence !== '' ? '' : line.replace(/`[^`]*`/g, '``');
  });
}

function faultOf(
  path: string,
  target: string,
  pages: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): string | undefined {
  const [file = '', heading] = decodeURI(target).split('#');
  const to = file === '' ? path : posix.join(file.startsWith('/') ? '' : posix.dirname(path), file);
  if (!exists(to)) return `${target}: there is no ${to}`;
  const page = pages.get(to);
  if (heading === undefined || page === undefined) return undefined;
  return headingsOf(page).has(heading) ? undefined : `${target}: ${to} has no heading for #${heading}`;
}

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const lines = text.split('\n');
  for (const [index, prose] of proseLines(text).entries()) {
    if (!/^#{1,6} /.test(prose)) continue;
    const heading = (lines[index] ?? '').replace(/^#+ +/, '').trim().toLowerCase();
    const name = heading.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    let free = name;
    for (let again = 1; names.has(free); again += 1) free = `${name}-${again}`;
    names.add(free);
  }
  return names;
}

if (import.meta.main) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const paths = globSync('**/*.md', {
    cwd: root,
    exclude: (name) => /^(?:node_modules|dist|data|trial|coverage|\..*)$/.test(basename(name)),
  });
  const pages = new Map(
    paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')] as const),
  );
  const dead = checkLinks(pages, (path) => existsSync(join(root, path)));
  for (const { path, line, message } of dead) console.error(`${path}:${line}: ${message}`);
  console.log(`${pages.size} pages checked, ${dead.length} dead links`);
  process.exitCode = dead.length === 0 ? 0 : 1;
}
