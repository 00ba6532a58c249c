/**
 * Checks imports: the arrows of docs/architecture.md, doors between domains, rooms, circles, barrel files, and unique
 * file names. `node scripts/check-arrows.ts` prints each line that breaks a rule.
 *
 * Tests and test support (`*.test.ts`, `*.testing.ts`, `testing.ts`) follow the arrows but may bypass doors. Only they
 * may import test support.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Direct imports of each area; it may also import theirs. An unused arrow is a breach. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  dns: [],
  'carrier-session': [],
  smpp: ['carrier-session'],
  cmpp: ['carrier-session', 'smpp'],
  smsc: ['carrier-session', 'smpp', 'cmpp'],
  pki: ['contract'],
  runtime: [],
  config: ['runtime'],
  database: ['runtime'],
  secrets: ['runtime'],
  http: ['runtime'],
  outbound: ['http', 'contract'],
  audit: ['database', 'contract'],
  api: ['audit', 'http', 'secrets'],
  organizations: ['api'],
  accounts: ['organizations'],
  instance: ['api'],
  push: ['organizations', 'outbound'],
  certificates: ['organizations', 'outbound', 'pki', 'dns'],
  messages: ['push', 'smpp'],
  alerts: ['organizations', 'outbound'],
  deployments: ['certificates'],
  carriers: ['messages', 'cmpp'],
  intake: ['carriers'],
  console: ['contract'],
};

/** These put everything together: they import whatever they need, and nobody below imports them. */
const roots = new Set([
  'instance/doctor',
  'compose',
  'compose-acme',
  'compose-acme-parts',
  'compose-alerts',
  'compose-messaging',
  'management-api',
  'start-server',
  'cli',
  'main',
  'whole-server',
]);

/** The files of a domain for other domains. An area without an entry is open. */
const doors: Readonly<Record<string, readonly string[]>> = {
  audit: ['audit-trail', 'ground'],
  instance: [],
  organizations: ['organization', 'token-holder', 'token-registry', 'maker-bounds', 'management-key-lookup'],
  accounts: [],
  push: ['outbox'],
  certificates: ['hand-out', 'certificate-lookup', 'certificate-deployments'],
  alerts: [],
  deployments: [],
  messages: ['part-queue', 'apply-receipt', 'apply-reply', 'message-state'],
  carriers: ['carrier'],
  intake: [],
};

/** The rooms of a domain, bottom first. `.` is the domain's own folder, a name with `.ts` one of its files. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  database: ['schema', 'sql', 'database.ts', 'sqlite', 'postgres', '.'],
  http: ['request', '.'],
  accounts: ['store', 'sessions', 'factors', 'sign-in', '.'],
  push: ['outbox', 'settings', 'history', 'engine', '.'],
  certificates: ['chain', '.', 'acme'],
  alerts: ['senders', 'rules', 'channels', 'telling', '.'],
  deployments: ['.', 'retrieval'],
  carriers: ['carrier.ts', 'simulator', '.', 'links'],
  messages: ['state', 'senders', 'delivery', 'send', 'history', '.'],
};

const commonNames = new Set(['package.json', 'tsconfig.json', 'README.md', 'index.html', 'vite.config.ts']);

export interface Breach {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

interface Import {
  readonly from: string;
  readonly to: string;
  readonly line: number;
  readonly byPackageName: boolean;
}

/** @param sources source text by path from the root, with slashes */
export function checkArrows(sources: ReadonlyMap<string, string>): readonly Breach[] {
  const imports = [...sources].flatMap(([path, text]) => findImports(path, text));
  return [
    ...imports.flatMap((each) => checkImport(each)),
    ...findCircles(imports),
    ...[...sources.keys()].flatMap((path) => checkBarrel(path)),
  ];
}

/** Arrows and doors that no import uses. @param sources as in `checkArrows` */
export function checkTables(sources: ReadonlyMap<string, string>): readonly Breach[] {
  const imports = [...sources]
    .flatMap(([path, text]) => findImports(path, text))
    .filter(({ from, to }) => !isTest(from) && areaOf(from) !== areaOf(to));
  const used = new Set(imports.map(({ from, to }) => `${areaOf(from)} → ${areaOf(to)}`));
  const entered = new Set(
    imports.filter(({ from }) => !roots.has(areaOf(from))).map(({ to }) => `${areaOf(to)}/${basename(to, '.ts')}`),
  );
  const unused = [
    ...Object.entries(arrows).flatMap(([from, targets]) =>
      targets.map((to) => `${from} → ${to}`).filter((arrow) => !used.has(arrow)),
    ),
    ...Object.entries(doors).flatMap(([area, names]) =>
      names.map((name) => `${area}/${name}`).filter((door) => !entered.has(door)),
    ),
  ];
  return unused.map((what) => ({ path: 'scripts/check-arrows.ts', line: 1, message: `no import uses ${what}` }));
}

/** Names of files that exist more than once. */
export function checkNames(paths: readonly string[]): readonly Breach[] {
  const byName = Map.groupBy(paths, (path) => basename(path));
  return [...byName]
    .filter(([name, places]) => places.length > 1 && !commonNames.has(name))
    .map(([, [path = '', ...others]]) => ({ path, line: 1, message: `has the same name as ${others.join(' and ')}` }));
}

/** A regular expression is enough, because in Biome's format a statement starts its line. */
function findImports(path: string, text: string): readonly Import[] {
  const statements = text.matchAll(/^(?:import|export)\b[^;'"`]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'/gm);
  const calls = text.matchAll(/\bimport\(\s*'([^']+)'\s*\)|\bnew URL\('(\.[^']+\.ts)', import\.meta\.url\)/g);
  return [...statements, ...calls].flatMap((match) => {
    const specifier = match[1] ?? match[2] ?? '';
    const to = resolveImport(path, specifier);
    if (to === undefined) return [];
    const line = text.slice(0, match.index).split('\n').length;
    return [{ from: path, to, line, byPackageName: !specifier.startsWith('.') }];
  });
}

/** Undefined for foreign packages. */
function resolveImport(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  const [, name, rest] = /^@waxwing\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  return name === undefined ? undefined : `packages/${name}/src/${rest}`;
}

/** Its folder, `.`, or its own name if the table has it. */
function roomOf(path: string, order: readonly string[]): string {
  const [, , , , room = '', ...rest] = path.split('/');
  return rest.length > 0 || order.includes(room) ? room : '.';
}

/** A folder or root file of the server, or another package as a whole. */
function areaOf(path: string): string {
  const [, name = '', , folder = '', inner = ''] = path.split('/');
  if (roots.has(`${folder}/${inner}`)) return `${folder}/${inner}`;
  return name === 'server' ? folder.replace(/\.ts$/, '') : name;
}

const packageOf = (path: string): string => path.split('/')[1] ?? '';
const isTestSupport = (path: string): boolean => /(?:^|[./])testing\.ts$/.test(path);
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || isTestSupport(path);

function checkImport({ from, to, line, byPackageName }: Import): readonly Breach[] {
  const messages = [
    checkArea(from, to) ?? checkPackage(from, to, byPackageName),
    checkDoor(from, to),
    checkRoom(from, to),
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
  // A test may put everything together, as the program does.
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

function checkRoom(from: string, to: string): string | undefined {
  const area = areaOf(from);
  const order = rooms[area];
  if (order === undefined || areaOf(to) !== area || isTest(from) || /\/migrations\//.test(from)) return undefined;
  const [source, target] = [roomOf(from, order), roomOf(to, order)];
  for (const room of [source, target]) {
    if (!order.includes(room)) return `${area}/${room} has no place in the table of rooms of scripts/check-arrows.ts`;
  }
  if (order.indexOf(target) <= order.indexOf(source)) return undefined;
  return `${area}: ${source} stands below ${target} (${to})`;
}

function checkTestSupport(from: string, to: string): string | undefined {
  return isTestSupport(to) && !isTest(from) ? `${to} is for tests only` : undefined;
}

/** A migration is frozen, so it may import only types. */
function checkMigration(from: string, to: string): string | undefined {
  const isFrozen = /\/migrations\/\d{4}-/.test(from);
  return isFrozen && basename(to) !== 'migration.ts' ? `a migration imports nothing of ours (${to})` : undefined;
}

function checkBarrel(path: string): readonly Breach[] {
  if (!/^index\.(?:ts|tsx)$/.test(basename(path))) return [];
  return [{ path, line: 1, message: 'is a barrel file; import from the file that holds the thing' }];
}

/** One breach for each import that closes a circle of files, type imports included. */
function findCircles(imports: readonly Import[]): readonly Breach[] {
  const byFile = Map.groupBy(imports, (each) => each.from);
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
  const breaches = [
    ...checkArrows(sources),
    ...checkTables(sources),
    ...checkNames(list('**/*.{ts,tsx,mjs,md,sh,json}')),
  ];
  for (const { path, line, message } of breaches) console.error(`${path}:${line}: ${message}`);
  console.log(`${sources.size} files checked, ${breaches.length} breaches`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
