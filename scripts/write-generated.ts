/**
 * Writes the pages of docs/ that are made from tables in the code. `--check` only compares, and fails at a difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allOperations } from '../packages/contract/src/management-api/all-operations.ts';
import type { Operation } from '../packages/contract/src/management-api/operation.ts';
import { problemReasons } from '../packages/contract/src/management-api/problem-reasons.ts';
import { openApiDocument } from '../packages/contract/src/open-api.ts';
import { actions, type Least } from '../packages/server/src/api/roles.ts';
import { type Setting, settingTable } from '../packages/server/src/config/settings.ts';
import { problems } from '../packages/server/src/runtime/problem.ts';
import { version } from '../packages/server/src/runtime/version.ts';
import { describedMetrics } from './metrics-page.ts';

/** By path from the root. */
function generatedPages(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/configuration.md', configurationPage()],
    ['docs/errors.md', errorsPage()],
    ['docs/metrics.md', metricsPage()],
    ['docs/roles.md', rolesPage()],
    ['docs/openapi.json', `${JSON.stringify(openApiDocument(allOperations, { version }), null, 2)}\n`],
  ]);
}

function configurationPage(): string {
  const rows = Object.entries(settingTable).map(([name, setting]: [string, Setting<unknown>]) => [
    code(name),
    setting.sentence,
    setting.kind.form,
    describeDefault(setting),
  ]);
  return page(
    'Configuration',
    'packages/server/src/config/settings.ts',
    `Waxwing is configured by environment variables, or by a file of \`NAME=value\` lines given with \`--env-file\`; the
environment wins over the file. An empty value counts as not given. All problems are reported at once, a name that does
not exist and a line that cannot be read included, and the server does not start on any. \`npx --no waxwing config\`
prints what is in force, with passwords masked.`,
    table(['Name', 'Meaning', 'Accepted', 'Default'], rows),
  );
}

function describeDefault({ standard }: Setting<unknown>): string {
  if (typeof standard !== 'string') return standard.words;
  return standard === '' ? 'empty' : code(standard);
}

function errorsPage(): string {
  const rows = Object.entries(problems).map(([name, { status, title, message }]) => [
    code(name),
    String(status),
    title,
    message,
  ]);
  return page(
    'Errors',
    'packages/server/src/runtime/problem.ts and packages/contract/src/management-api/problem-reasons.ts',
    `Every error answer carries its code in the header \`Error-Code\`, and where one input is at fault, its name in
\`Error-Field\`. The text is the \`message\` of the JSON envelope of the certificate and message interfaces; the management
interface answers \`application/problem+json\` with the same code.`,
    `${table(['Code', 'Status', 'Meaning', 'Text'], rows)}
## Reasons

In the management interface a problem of these codes has a \`reason\`, as stable as the code, so that a program can tell
them apart. The values in the sentence of its \`detail\` stand beside it in \`parameters\`, by the names given here.

${table(['Code', 'Reason', 'Parameters'], reasonRows())}`,
  );
}

function reasonRows(): readonly (readonly string[])[] {
  return Object.entries(problemReasons).flatMap(([name, reasons]) =>
    Object.entries(reasons).map(([reason, parameters]) => [
      code(name),
      code(reason),
      (parameters as readonly string[]).map(code).join(', '),
    ]),
  );
}

const who: Readonly<Record<Least, string>> = {
  viewer: 'viewer',
  developer: 'developer',
  admin: 'admin',
  owner: 'owner',
  operator: 'operator',
  person: 'anyone signed in, about themselves',
  anyone: 'anyone signed in, any key',
  public: 'anybody',
};

function rolesPage(): string {
  const rows = allOperations.map((operation: Operation) => [
    operation.summary,
    code(`${operation.method} ${operation.path}`),
    who[actions[operation.action as keyof typeof actions]],
    onlyWho(operation),
  ]);
  return page(
    'Roles',
    'packages/server/src/api/roles.ts and packages/contract/src/management-api',
    `The least role for each operation of the management API, of people and of management keys alike. Whoever has a higher one may as well;
an operator may everywhere. *Freshly signed in* means within the last five minutes.

**Who can read private keys:** not only who may export them. The token of a deployment fetches the key of its certificate, and whoever
makes a deployment or a new token for one (developer and above, person or key) sees that token.`,
    table(['Operation', 'Below /api/v1', 'Who may', 'Only'], rows),
  );
}

function metricsPage(): string {
  const rows = describedMetrics().map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ]);
  return page(
    'Metrics and probes',
    'the registrations in packages/server/src',
    `\`GET /metrics\` on the listener \`WAXWING_METRICS_LISTEN\` answers in the text format of Prometheus; there is none unless it is set. It asks for no
credential, so let it listen where only the scraper reaches it. A scrape never waits longer than two seconds for the database, and never
fails because of it: what cannot be read has no sample. \`process_…\` and \`nodejs_…\` are the usual ones of prom-client.

Two probes are on the main listener: \`/healthz\` answers 200 while the process does, whatever else is wrong, and is for whoever restarts it; \`/readyz\`
answers 200 while this server can serve, else 503, and is for whoever sends it traffic ([guide](guides/behind-a-proxy.md#probes)).`,
    table(['Name', 'Type', 'Labels', 'Meaning'], rows),
  );
}

function onlyWho({ action, fresh, problems = [] }: Operation): string {
  if (fresh === true) return 'people, freshly signed in';
  if (fresh === 'people') return 'people, freshly signed in; keys';
  if (action === 'public' || !problems.includes('reauthentication_required')) return '';
  return `people, sometimes freshly signed in${action.startsWith('me.') ? '' : '; keys'}`;
}

function page(title: string, source: string, introduction: string, body: string): string {
  return `# ${title}\n\n<!-- Generated from ${source} by \`npm run generate\`. Edit it there. -->\n\n${introduction}\n\n${body}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('');
}

function code(text: string): string {
  return `\`${text}\``;
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const stale = [...generatedPages()].filter(([path, text]) => readOrNothing(join(root, path)) !== text);
  for (const [path, text] of stale) {
    if (process.argv.includes('--check')) {
      console.error(`${path} is out of date; run: npm run generate`);
      process.exitCode = 1;
    } else {
      writeFileSync(join(root, path), text);
      console.log(`wrote ${path}`);
    }
  }
}
