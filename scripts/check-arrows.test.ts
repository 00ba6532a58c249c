import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Breach, checkArrows, checkNames, checkTables } from './check-arrows.ts';

const server = 'packages/server/src';

/** Checks a made-up tree: each file's imports, by its path below the server's sources. */
function check(tree: Readonly<Record<string, string>>): readonly string[] {
  const sources = new Map(Object.entries(tree).map(([path, text]) => [`${server}/${path}`, text]));
  return show(checkArrows(sources));
}

function show(breaches: readonly Breach[]): readonly string[] {
  return breaches.map(({ path, line, message }) => `${path.replace(`${server}/`, '')}:${line} ${message}`);
}

test('a tree that keeps every rule has no breach', () => {
  const breaches = check({
    'main.ts': `import { compose } from './compose.ts';`,
    'compose.ts': `import { pushRoutes } from './push/push-routes.ts';\nimport './cli/command.ts';`,
    'cli/command.ts': `import { x } from '../deployments/deployment-store.ts';`,
    'deployments/deployment-store.ts': [
      `import { readFile } from 'node:fs/promises';`,
      `import { sql } from 'kysely';`,
      `import {\n  handOut,\n  type HandOut,\n} from '../certificates/hand-out.ts';`,
      `import type { Organization } from '../organizations/organization.ts';`,
      `import type { Clock } from '../runtime/clock.ts';`,
      `import { envelope } from '@waxwing/contract/retrieval-api.ts';`,
    ].join('\n'),
    'deployments/deployment-store.test.ts': `import { s } from '../certificates/certificate-store.ts';`,
    'deployments/fixture.testing.ts': `import { freshDatabase } from '../database/testing.ts';`,
    'database/migrations/0001-start.ts': `import type { Migration } from '../migration.ts';`,
  });
  assert.deepEqual(breaches, []);
});

const certificates = `${server}/certificates`;

const breaking: readonly [name: string, tree: Readonly<Record<string, string>>, breach: string][] = [
  [
    'an import against the arrows',
    { 'runtime/clock.ts': `\nimport { db } from '../database/database.ts';` },
    `runtime/clock.ts:2 runtime may not import database (${server}/database/database.ts)`,
  ],
  [
    'an import of types against the arrows',
    { 'database/database.ts': `import type { Settings } from '../config/settings.ts';` },
    `database/database.ts:1 database may not import config (${server}/config/settings.ts)`,
  ],
  [
    'an import between domains of the same layer',
    { 'messages/message.ts': `import { x } from '../certificates/hand-out.ts';` },
    `messages/message.ts:1 messages may not import certificates (${certificates}/hand-out.ts)`,
  ],
  [
    'a re-export against the arrows',
    { 'http/server.ts': `export { x } from '../api/operation-frame.ts';` },
    `http/server.ts:1 http may not import api (${server}/api/operation-frame.ts)`,
  ],
  [
    'an import at run time against the arrows',
    { 'http/server.ts': `  const x = await import('../api/operation-frame.ts');` },
    `http/server.ts:1 http may not import api (${server}/api/operation-frame.ts)`,
  ],
  [
    'an import for its effects against the arrows',
    { 'http/server.ts': `import '../main.ts';` },
    `http/server.ts:1 http may not import main (${server}/main.ts)`,
  ],
  [
    'an import beside a door',
    { 'deployments/deployment.ts': `import { s } from '../certificates/certificate-store.ts';` },
    `deployments/deployment.ts:1 ${certificates}/certificate-store.ts is not a door of certificates ` +
      '(its doors: hand-out, certificate-lookup, certificate-deployments)',
  ],
  [
    'a test against the arrows',
    { 'push/engine/lane.test.ts': `import { x } from '../../deployments/deployment.ts';` },
    `push/engine/lane.test.ts:1 push may not import deployments (${server}/deployments/deployment.ts)`,
  ],
  [
    'test support in the product',
    { 'push/engine/lane.ts': `import { x } from '../../database/testing.ts';` },
    `push/engine/lane.ts:1 ${server}/database/testing.ts is for tests only`,
  ],
  [
    'a migration that imports what can change',
    { 'database/migrations/0002-more.ts': `import type { Tables } from '../tables.ts';` },
    `database/migrations/0002-more.ts:1 a migration imports nothing of ours (${server}/database/tables.ts)`,
  ],
  [
    'an area without a place',
    { 'misc/thing.ts': `import { c } from '../runtime/clock.ts';` },
    'misc/thing.ts:1 misc has no place in the table of scripts/check-arrows.ts',
  ],
  [
    'a circle',
    {
      'push/one.ts': `import { b } from './two.ts';`,
      'push/two.ts': `import { c } from './three.ts';`,
      'push/three.ts': `import { type T } from './elsewhere.ts';\nimport { a } from './one.ts';`,
    },
    'push/three.ts:2 closes a circle: one.ts → two.ts → three.ts → one.ts',
  ],
  [
    'a circle of types',
    { 'push/one.ts': `import type { B } from './two.ts';`, 'push/two.ts': `import type { A } from './one.ts';` },
    'push/two.ts:1 closes a circle: one.ts → two.ts → one.ts',
  ],
  [
    'an import of a room that stands above',
    { 'push/settings/push-setting.ts': `import { x } from '../engine/lane.ts';` },
    `push/settings/push-setting.ts:1 push: settings stands below engine (${server}/push/engine/lane.ts)`,
  ],
  [
    'a room without a place',
    { 'push/push-routes.ts': `import { x } from './misc/thing.ts';` },
    'push/push-routes.ts:1 push/misc has no place in the table of rooms of scripts/check-arrows.ts',
  ],
  [
    'a barrel file',
    { 'push/index.ts': `export const x = 1;` },
    'push/index.ts:1 is a barrel file; import from the file that holds the thing',
  ],
];

for (const [name, tree, breach] of breaking) {
  test(`${name} is named with its file and line`, () => {
    assert.deepEqual(check(tree), [breach]);
  });
}

test('imports in comments do not count', () => {
  assert.deepEqual(
    check({ 'runtime/a.ts': `/**\n * import { x } from '../push/lane.ts';\n */\n// import '../main.ts';` }),
    [],
  );
});

test('other packages import the contract alone', () => {
  const sources = new Map([
    ['packages/console/src/plan.ts', `import { a } from '@waxwing/contract/retrieval-api.ts';`],
    ['packages/console/src/install.ts', `import { a } from '../../server/src/runtime/clock.ts';`],
    ['packages/contract/src/retrieval-api.ts', `import { a } from '@waxwing/smpp/pdu.ts';`],
  ]);
  assert.deepEqual(show(checkArrows(sources)), [
    'packages/console/src/install.ts:1 console may not import runtime (packages/server/src/runtime/clock.ts)',
    'packages/contract/src/retrieval-api.ts:1 contract may not import smpp (packages/smpp/src/pdu.ts)',
  ]);
});

test('a path across packages is refused where the package has a name', () => {
  assert.deepEqual(check({ 'accounts/a.ts': `import { x } from '../../../contract/src/retrieval-api.ts';` }), [
    'accounts/a.ts:1 import packages/contract/src/retrieval-api.ts by its package name',
  ]);
});

test('an arrow and a door that no import uses are named', () => {
  const used = new Map([
    [`${server}/deployments/a.ts`, `import { h } from '../certificates/hand-out.ts';`],
    [`${server}/deployments/a.test.ts`, `import { o } from '../push/outbox/outbox.ts';`],
  ]);
  const unused = checkTables(used).map(({ message }) => message);
  assert.ok(!unused.includes('no import uses deployments → certificates'));
  assert.ok(!unused.includes('no import uses certificates/hand-out'));
  assert.ok(unused.includes('no import uses certificates/certificate-lookup'));
  assert.ok(unused.includes('no import uses push/outbox'));
});

test('a file name that stands twice is named with its other places', () => {
  assert.deepEqual(
    show(checkNames(['a/lane.ts', 'b/lane.ts', 'a/package.json', 'b/package.json', 'README.md', 'c/README.md'])),
    ['a/lane.ts:1 has the same name as b/lane.ts'],
  );
});
