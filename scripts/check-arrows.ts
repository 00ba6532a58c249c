/**
 * Checks which file imports which: the arrows of docs/architecture.md, the doors between domains, no circles, no barrel
 * files, and file names that exist once. `node scripts/check-arrows.ts` prints each line that breaks a rule.
 *
 * Tests and test support (`*.test.ts`, `*.testing.ts`, `testing.ts`) follow the arrows but may pass beside a door: a
 * store's test may fill another domain's tables. Only tests and test support may import test support.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What each area imports directly; it may import what those import, too. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  smpp: [],
  runtime: [],
  config: ['runtime'],
  database: ['runtime'],
  secrets: ['runtime'],
  http: ['runtime'],
  audit: ['database', 'secrets', 'contract'],
  instance: ['accounts'],
  accounts: ['audit', 'http', 'contract'],
  push: ['accounts'],
  certificates: ['push'],
  messages: ['push', 'smpp'],
  deployments: ['certificates'],
  carriers: ['messages', 'smpp'],
  intake: ['carriers', 'messages', 'push'],
  console: ['contract'],
  agent: ['contract'],
};

/** These put everything together: they import whatever they need, and nobody below imports them. */
const roots = new Set(['compose', 'compose-messaging', 'management-api', 'start-server', 'cli', 'main']);

/** The files of a domain that other domains may import. An area that is not named here is open. */
const doors: Readonly<Record<string, readonly string[]>> = {
  audit: ['audit-trail'],
  instance: [],
  accounts: ['actor', 'guard', 'organization', 'token-holder', 'token-registry'],
  push: ['outbox'],
  certificates: ['hand-out', 'certificate-lookup'],
  deployments: [],
  messages: ['part-queue', 'apply-receipt', 'apply-reply', 'message-state'],
  carriers: ['carrier'],
  intake: [],
};

/** Names that every package or folder may have. */
const commonNames = new Set(['package.json', 'tsconfig.json', 'README.md', 'index.html', 'vite.config.ts']);

/** A file and the line in it that breaks a rule. */
export interface Breach {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

interface Import {
  readonly from: string;
  readonly to: string;
  readonly line: number;
  /** Whether nothing of it is left at run time (`import type`). */
  readonly typesOnly: boolean;
  readonly byPackageName: boolean;
}

/**
 * @param sources the text of each source file of the packages by its path from the root, with slashes
 */
export function checkArrows(sources: ReadonlyMap<string, string>): readonly Breach[] {
  const imports = [...sources].flatMap(([path, text]) => findImports(path, text));
  return [
    ...imports.flatMap((each) => checkImport(each)),
    ...findCircles(imports),
    ...[...sources.keys()].flatMap((path) => checkBarrel(path)),
  ];
}

/** Names of files that stand in more than one place of the repository. */
export function checkNames(paths: readonly string[]): readonly Breach[] {
  const byName = Map.groupBy(paths, (path) => basename(path));
  return [...byName]
    .filter(([name, places]) => places.length > 1 && !commonNames.has(name))
    .map(([, [path = '', ...others]]) => ({ path, line: 1, message: `has the same name as ${others.join(' and ')}` }));
}

/**
 * Every import and re-export of a file that leads to a file of ours. Biome's formatting makes a regular expression
 * enough: a statement starts its line (a comment's line starts with `*` or `//`).
 */
function findImports(path: string, text: string): readonly Import[] {
  const statements = text.matchAll(/^(?:import|export)\b[^;'"`]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'/gm);
  const calls = text.matchAll(/\bimport\(\s*'([^']+)'\s*\)|\bnew URL\('(\.[^']+\.ts)', import\.meta\.url\)/g);
  return [...statements, ...calls].flatMap((match) => {
    const specifier = match[1] ?? match[2] ?? '';
    const to = resolveImport(path, specifier);
    if (to === undefined) return [];
    const line = text.slice(0, match.index).split('\n').length;
    const typesOnly = /^\w+ type\b/.test(match[0]);
    return [{ from: path, to, line, typesOnly, byPackageName: !specifier.startsWith('.') }];
  });
}

/** The path that a specifier means; undefined for packages that are not ours. */
function resolveImport(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  const [, name, rest] = /^@waxwing\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  return name === undefined ? undefined : `packages/${name}/src/${rest}`;
}

/** The area a file belongs to: a folder or root file of the server, or another package as a whole. */
function areaOf(path: string): string {
  const [, name = '', , folder = ''] = path.split('/');
  return name === 'server' ? folder.replace(/\.ts$/, '') : name;
}

const packageOf = (path: string): string => path.split('/')[1] ?? '';
const isTestSupport = (path: string): boolean => /(?:^|[./])testing\.ts$/.test(path);
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || isTestSupport(path);

function checkImport({ from, to, line, byPackageName }: Import): readonly Breach[] {
  const messages = [
    checkArea(from, to) ?? checkPackage(from, to, byPackageName),
    checkDoor(from, to),
    checkTestSupport(from, to),
    checkMigration(from, to),
  ];
  return messages.filter((message) => message !== undefined).map((message) => ({ path: from, line, message }));
}

function checkPackage(from: string, to: string, byPackageName: boolean): string | undefined {
  return byPackageName || packageOf(from) === packageOf(to) ? undefined : `import ${to} by its package name`;
}

function checkArea(from: string, to: string): string | undefined {
  const [source, target] = [areaOf(from), areaOf(to)];
  if (source === target || roots.has(source)) return undefined;
  // A test may put everything together, as the program does: what a domain promises shows at the whole.
  if (isTest(from) && (roots.has(target) || target === 'config' || isTestSupport(to))) return undefined;
  if (arrows[source] === undefined) return `${source} has no place in the table of scripts/check-arrows.ts`;
  return reachable(source).has(target) ? undefined : `${source} may not import ${target} (${to})`;
}

function reachable(area: string): ReadonlySet<string> {
  const direct = arrows[area] ?? [];
  return new Set(direct.flatMap((next) => [next, ...reachable(next)]));
}

function checkDoor(from: string, to: string): string | undefined {
  const [source, target] = [areaOf(from), areaOf(to)];
  const open = doors[target];
  if (source === target || open === undefined || roots.has(source) || isTest(from)) return undefined;
  if (open.includes(basename(to, '.ts'))) return undefined;
  return `${to} is not a door of ${target} (its doors: ${open.join(', ') || 'none'})`;
}

function checkTestSupport(from: string, to: string): string | undefined {
  return isTestSupport(to) && !isTest(from) ? `${to} is for tests only` : undefined;
}

/** A migration is frozen: what it imports would change under it. Types are gone at run time and may be imported. */
function checkMigration(from: string, to: string): string | undefined {
  const isFrozen = /\/migrations\/\d{4}-/.test(from);
  return isFrozen && basename(to) !== 'migration.ts' ? `a migration imports nothing of ours (${to})` : undefined;
}

function checkBarrel(path: string): readonly Breach[] {
  if (!/^index\.(?:ts|tsx)$/.test(basename(path))) return [];
  return [{ path, line: 1, message: 'is a barrel file; import from the file that holds the thing' }];
}

/** One breach for each import that closes a circle of files that load each other; types load nothing. */
function findCircles(imports: readonly Import[]): readonly Breach[] {
  const loading = imports.filter((each) => !each.typesOnly);
  const byFile = Map.groupBy(loading, (each) => each.from);
  const done = new Set<string>();
  const breaches: Breach[] = [];

  function visit(path: string, trail: readonly string[]): void {
    for (const { to, line } of byFile.get(path) ?? []) {
      const start = [...trail, path].indexOf(to);
      if (start >= 0) {
        const circle = [...trail, path].slice(start);
        breaches.push({
          path,
          line,
          message: `closes a circle: ${[...circle, to].map((each) => basename(each)).join(' → ')}`,
        });
      } else if (!done.has(to)) {
        visit(to, [...trail, path]);
      }
    }
    done.add(path);
  }

  for (const path of byFile.keys()) if (!done.has(path)) visit(path, []);
  return breaches;
}

if (import.meta.main) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const list = (pattern: string): readonly string[] =>
    globSync(pattern, {
      cwd: root,
      exclude: (name) => /^(?:node_modules|dist|data|coverage|\..*)$/.test(basename(name)),
    })
      .map((path) => path.replaceAll('\\', '/'))
      .sort();
  const sources = new Map(
    list('packages/*/src/**/*.{ts,tsx}').map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
  const breaches = [...checkArrows(sources), ...checkNames(list('**/*.{ts,tsx,mjs,md,sh,json}'))];
  for (const { path, line, message } of breaches) console.error(`${path}:${line}: ${message}`);
  console.log(`${sources.size} files checked, ${breaches.length} breaches`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
