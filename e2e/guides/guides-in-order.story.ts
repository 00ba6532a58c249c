/**
 * Runs the README and then every guide, block after block in the order of their list, in one folder and mostly in one
 * terminal. Afterwards the checkout has only the folder `trial` in addition, and the reader's own files are unchanged.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.ts';
import { makeOpensslCa } from '../openssl-ca.ts';
import { makeWorld, mustRun, type World } from '../world.ts';
import { type CodeBlock, readCodeBlocks } from './guide.ts';
import { makeClone, openShell, type ShellSession } from './shell-session.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const list = readFileSync(join(root, 'docs/guides/README.md'), 'utf8');
const guides = [...list.matchAll(/^- \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => `docs/guides/${name}`);

test('the list of guides names each of them', () => {
  const all = readdirSync(join(root, 'docs/guides')).filter((name) => name !== 'README.md');
  assert.deepEqual(guides.map((path) => path.replace('docs/guides/', '')).sort(), all.sort());
});

test('the README and every guide in order do what they say, and leave nothing but the folder trial', async (context) => {
  await using walk = await beginWalk();
  for (const page of ['README.md', ...guides]) {
    for (const block of readCodeBlocks(page).filter(({ language }) => language === 'sh')) {
      if (block.notRun === undefined) await walk.follow(page, block);
      else context.diagnostic(`not run: ${page}, "${block.heading}": ${block.notRun}`);
    }
    await walk.expectNothingElse(page);
  }
  assert.match(walk.printedOn('README.md'), /^the chain verifies$/m);
  for (const page of ['README.md', 'docs/guides/carriers.md']) {
    assert.match(walk.printedOn(page), /bind +\d+ ms[\s\S]*DELIVRD.* trial +the only matching carrier/);
  }
  assert.match(walk.printedOn('docs/guides/first-certificate.md'), /shop\.example\.com/);
  const renewals = walk.printedOn('docs/guides/renewals.md');
  assert.match(renewals, /1 of 2 servers have the current version/);
  assert.match(renewals, /missing_intermediate[\s\S]*added +CN=Private Issuer/);
  // The same names, a name lost, and a missing intermediate.
  assert.equal(renewals.match(/^exit code 1$/gm)?.length, 3, renewals);
  assert.match(walk.printedOn('docs/guides/receiving-pushes.md'), /delivered +yes/);
  assert.match(walk.printedOn('docs/guides/backup-and-master-key.md'), /The master key was rotated/);
  assert.match(walk.printedOn('docs/guides/alerts.md'), /accepted the test/);
  // A new instance has exactly two warnings.
  const [doctor = ''] = walk.printedOn('docs/guides/troubleshooting.md').split('\n\n');
  assert.deepEqual(
    doctor.match(/^(?:warn|fail) .*/gm)?.map((line) => line.split(/ +/)[1]),
    ['master_key_place', 'alerts'],
    doctor,
  );
});

test('the README followed a second time, in a new terminal, says that it was done and changes nothing', async () => {
  await using walk = await beginWalk();
  const heading = 'A certificate handed out, in five minutes';
  const blocks = readCodeBlocks('README.md').filter((block) => block.heading === heading && block.language === 'sh');
  for (const block of blocks) await walk.follow('README.md', block);
  const before = readFileSync(walk.path('trial/token.header'), 'utf8');
  const [, imported, deployed] = blocks;
  const again = walk.newTerminal();
  await again.paste('exec 2>&1');
  const said = await again.paste(imported?.text ?? '');
  assert.match(said, /^error: An organization named "Example" exists already\. Choose another name\.\n$/);
  assert.match(await again.paste(deployed?.text ?? ''), /^error: --certificate has an empty value\.\nSee: .*\n$/);
  assert.equal(readFileSync(walk.path('trial/token.header'), 'utf8'), before);
  await again.close();
});

interface Walk extends AsyncDisposable {
  follow(page: string, block: CodeBlock): Promise<void>;
  /** Everything printed by that page's blocks. */
  printedOn(page: string): string;
  expectNothingElse(page: string): Promise<void>;
  newTerminal(): ShellSession;
  path(name: string): string;
}

/** A clone, a home with the reader's certificate, and files of the reader that must stay. */
async function beginWalk(): Promise<Walk> {
  const [port, tls, trial, gateway, carrier, receiving, alerting] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${port}` });
  const home = mkdtempSync(join(tmpdir(), 'waxwing-home-'));
  await furnish(world, home);
  /** The guides' addresses, ports and folders with the story's own, longer ones first. */
  const exchanged = Object.entries({
    'http://localhost:8080': `http://127.0.0.1:${port}`,
    'localhost:8080': `127.0.0.1:${port}`,
    'https://waxwing.example.com': `http://127.0.0.1:${port}`,
    '203.0.113.7': '127.0.0.1',
    '8443': String(tls),
    '8081': String(trial),
    '8082': String(gateway),
    '2775': String(carrier),
    '9000': String(receiving),
    '9001': String(alerting),
    '/var/backups/waxwing-keys': join(home, 'backup-of-keys'),
    '/var/backups/waxwing': join(home, 'backups'),
    // It would run until Ctrl-C.
    'npx --no waxwing serve ': 'npx --no waxwing organization list ',
  });
  const adapted = (text: string) => exchanged.reduce((given, [from, to]) => given.replaceAll(from, to), text);
  const printed = new Map<string, string>();
  const sessions: ShellSession[] = [];
  const open = () => {
    const session = openShell(world.folder, { home });
    sessions.push(session);
    return session;
  };
  const terminal = open();
  let elsewhere: ShellSession | undefined;
  let programs: ShellSession[] = [];
  const files = checkoutOf(world.folder);
  await world.start();

  async function print(page: string, session: ShellSession, { text }: CodeBlock): Promise<void> {
    const typed = text.includes('read -r TOKEN') ? await tokenFor(page, world, printed.get(page) ?? '') : '';
    const more = await session.paste(`${adapted(text).trimEnd()}\n${typed}`);
    printed.set(page, (printed.get(page) ?? '') + more);
  }

  async function runProgram({ text }: CodeBlock): Promise<ShellSession> {
    const program = open();
    program.run(adapted(text));
    await program.printed(/^ready$|listens on/m);
    return program;
  }

  return {
    async follow(page, block) {
      switch (block.place) {
        case "the reader's terminal":
          await print(page, terminal, block);
          await programs.at(-1)?.printed(arrivalsOn[page] ?? /^/);
          break;
        case 'another machine':
          elsewhere ??= open();
          await print(page, elsewhere, block);
          break;
        case 'a program in a terminal of its own':
          programs.push(await runProgram(block));
          break;
        case 'the terminal of the server':
          assert.equal(await world.stop(), 0);
          await world.start(settingsBefore(block.text, 'npm start'));
          break;
        case 'with the server stopped':
          assert.equal(await world.stop(), 0);
          await print(page, terminal, block);
          await world.start();
      }
    },
    printedOn: (page) => printed.get(page) ?? '',
    async expectNothingElse(page) {
      for (const program of programs) {
        await program.close();
        sessions.splice(sessions.indexOf(program), 1);
      }
      programs = [];
      assert.equal(await mustRun('git', ['-C', world.folder, 'status', '--porcelain']), '', page);
      assert.deepEqual(checkoutOf(world.folder), files, page);
      assert.equal(readFileSync(world.path('trial/of-the-reader'), 'utf8'), 'mine', page);
      const left = readdirSync(join(home, 'tmp')).filter((name) => name !== 'node-compile-cache');
      assert.deepEqual(left, [], page);
    },
    newTerminal: () => openShell(world.folder, { home, goesOn: true }),
    path: world.path,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) await session.close();
      await world.end();
      rmSync(home, { recursive: true });
    },
  };
}

/** What the program of a page prints after the reader's commands. */
const arrivalsOn: Readonly<Record<string, RegExp>> = {
  'docs/guides/alerts.md': /alert\.test/,
  // Three pushes in any order: the test, the status of a message, and a reply.
  'docs/guides/receiving-pushes.md': /(?=.*\/reply \{).*\/status \{.*\/status \{/s,
};

/** Makes the clone as after `git clone` with files of the reader, and fills `~/tls`. */
async function furnish(world: World, home: string): Promise<void> {
  for (const folder of ['tls', 'tmp', 'ca', 'backups', 'backup-of-keys']) mkdirSync(join(home, folder));
  const ca = await makeOpensslCa(join(home, 'ca'));
  // Long enough for the doctor.
  const leaf = await ca.issue('leaf', ['shop.example.com'], 20);
  const tls = (name: string) => join(home, 'tls', name);
  copyFileSync(leaf.certificate, tls('site.crt'));
  copyFileSync(ca.intermediate, tls('chain.crt'));
  const chain = [leaf.certificate, ca.intermediate].map((file) => readFileSync(file, 'utf8')).join('');
  writeFileSync(tls('fullchain.pem'), chain);
  for (const name of ['site.key', 'privkey.pem']) copyFileSync(leaf.key, tls(name));

  makeClone(world.folder);
  copyFileSync(join(root, '.gitignore'), world.path('.gitignore'));
  for (const name of ['token.header', 'site.key', 'headers']) writeFileSync(world.path(name), 'mine');
  mkdirSync(world.path('trial'));
  writeFileSync(world.path('trial/of-the-reader'), 'mine');
  const git = (...args: string[]) =>
    mustRun('git', ['-C', world.folder, '-c', 'user.name=x', '-c', 'user.email=x', ...args]);
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'As it came');
}

/** Every file of the checkout, except where the program, npm and the guides may write. */
function checkoutOf(folder: string): readonly string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return all.filter((path) => !/^(?:trial|data|node_modules|\.git)(?:\/|$)/.test(path)).sort();
}

/** The reader's input where a guide reads the terminal. */
async function tokenFor(page: string, world: World, printed: string): Promise<string> {
  const [shown] = /wxa_\S+/.exec(printed) ?? [];
  if (shown !== undefined) return shown;
  const [deployment] = await world.json<{ id: string }[]>('deployment', 'list');
  if (deployment === undefined) throw new Error(`${page} reads a token, and there is none`);
  return (await world.json<{ token: string }>('deployment', 'rotate', deployment.id)).token;
}

/** Of `NAME=value … program`. */
function settingsBefore(line: string, program: string): Record<string, string> {
  const [, settings] = new RegExp(`^((?:\\w+=\\S+ )*)${program}`).exec(line) ?? [];
  if (settings === undefined) throw new Error(`it does not begin with settings and ${program}: ${line}`);
  const pairs = settings
    .trim()
    .split(' ')
    .filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}
