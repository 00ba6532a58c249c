import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { runCommandLine } from '../command-line.ts';
import { fakeTerminal, temporaryFolder } from '../terminal.testing.ts';
import { pick } from './find-thing.ts';

const items = [
  { id: '01a20ab0-1', name: 'web', organization_id: 'o1' },
  { id: '01a20ab0-2', name: 'web', organization_id: 'o2' },
  { id: '01a20ab1-3', name: 'api', organization_id: 'o1' },
  { id: '01b', name: '01a20ab1', organization_id: 'o1' },
];

/** As the API reads its lists: by a part of the name, or what stands behind an id. */
const read = async ({ search = '', after = '', limit = 100 }: Parameters<Parameters<typeof pick>[2]>[0]) =>
  items.filter(({ id, name }) => name.includes(search) && id > after).slice(0, limit);

const named = (text: string) => pick(text, 'deployment', read);

test('a thing is named by its name, or by a beginning of its id that fits no other', async () => {
  assert.equal((await named('api')).id, '01a20ab1-3');
  assert.equal((await named('01a20ab1-')).id, '01a20ab1-3');
  assert.equal((await named('01a20ab1')).id, '01b', 'a name comes before a beginning');
});

test('what several have is refused with the candidates, and what nobody has with where to look', async () => {
  await assert.rejects(named('web'), {
    code: 'conflict',
    field: 'deployment',
    message: /01a20ab0-1 \(web of organization o1\), 01a20ab0-2 \(web of organization o2\)\.$/,
  });
  await assert.rejects(named('01a20ab0'), { code: 'conflict', message: /01a20ab0-1 .*01a20ab0-2/ });
  for (const text of ['we', '01c', 'WEB']) {
    await assert.rejects(named(text), { code: 'not_found', message: /There is no deployment .*"deployment list"/ });
  }
});

async function instance(context: TestContext) {
  const folder = temporaryFolder(context);
  const umask = process.umask();
  context.after(() => process.umask(umask));
  const leaf = makeTrialCa({ now: Date.now() }).issue({ domains: ['shop.example.com'] });
  writeFileSync(join(folder, 'site.pem'), leaf.certificatePem + leaf.keyPem);
  const run = async (line: string) => {
    const terminal = fakeTerminal(folder);
    const code = await runCommandLine(line.split(' '), terminal);
    return { code, ...terminal.written };
  };
  const id = async (line: string) => {
    const { code, out, err } = await run(`${line} -q`);
    assert.deepEqual([code, err], [0, ''], line);
    return out.trim();
  };
  assert.equal((await run('migrate')).code, 0);
  return { run, id };
}

test('names lead there in every command, whatever the organization', async (context) => {
  const { run, id } = await instance(context);
  for (const name of ['Shop', 'Other']) await id(`organization create --name ${name}`);
  await id('certificate import --organization Shop --certificate site.pem');
  const deployment = await id('deployment create --certificate shop.example.com --name web --allow ::1');
  const key = await id('messaging-key create --organization Shop --name till --allow ::1');
  assert.equal(await id('deployment show web'), deployment);
  assert.equal(await id(`deployment show ${deployment.slice(0, -1)} --organization Shop`), deployment);
  assert.equal(await id('deployment list --certificate shop.example.com'), deployment);
  assert.equal(await id('messaging-key disable till'), key);
  assert.equal(
    await id('certificate import --organization Shop --onto shop.example.com --certificate site.pem'),
    await id('certificate show shop.example.com'),
  );
  const elsewhere = await run('deployment show web --organization Other');
  assert.deepEqual([elsewhere.code, /There is no deployment web/.test(elsewhere.err)], [1, true]);

  await id('certificate import --organization Other --certificate site.pem');
  const ambiguous = await run('certificate revoke shop.example.com');
  assert.equal(ambiguous.code, 1);
  assert.match(
    ambiguous.err,
    /may be several of them\. Name the certificate by more of its id: \S+ \(shop\.example\.com of/,
  );
  assert.equal((await run('certificate revoke shop.example.com --organization Other')).code, 0);
});

test('versions, batches, pushes and routes are named by a beginning of their ids', async (context) => {
  const { run, id } = await instance(context);
  await id('organization create --name Shop');
  const certificate = await id('certificate import --organization Shop --certificate site.pem');
  await id('certificate import --organization Shop --onto shop.example.com --certificate site.pem');
  assert.equal((await run('certificate revoke shop.example.com --version 1')).code, 0);
  const versions = await run(`certificate versions ${certificate} --json`);
  const states = (JSON.parse(versions.out) as { number: number; state: string }[]).map(({ state }) => state);
  assert.deepEqual([states[0] === 'revoked', states[1]], [false, 'revoked']);

  assert.equal(
    (await run('push-setting set --organization Shop --kind status --url http://8.8.8.8/ --enable')).code,
    0,
  );
  assert.equal((await run('blocked-word add --organization Shop --word casino')).code, 0);
  const send = 'message send --organization Shop --to +8613800138000 --text';
  const [batch] = [await id(`${send} casino`), await id(`${send} casino`)];
  const shown = await run(`message show ${batch.slice(0, -1)} --organization Shop --field batch_id`);
  assert.equal(shown.out, `${batch}\n`, shown.err);
  const [, push = ''] = (await id('push list --organization Shop')).split('\n');
  assert.equal(await id(`push show ${push.slice(0, -1)} --organization Shop`), push);
  const route = await id('route add --organization Shop --carrier simulator --prefix 1069');
  assert.equal(await id(`route remove ${route.slice(0, 8)}`), route);
});

test('a former name of a command is understood', async (context) => {
  const { run, id } = await instance(context);
  const organization = await id('organization create --name Shop');
  assert.equal(await id('organization suspend Shop'), organization);
  assert.match((await run('organization show Shop')).out, /^suspended {2}yes$/m);
  assert.equal(await id('organization resume Shop'), organization);
  assert.match((await run('push resends --organization Shop')).out, /No re-send is under way/);
});

test('the status tells what there is, where no server runs', async (context) => {
  const { run, id } = await instance(context);
  assert.equal((await run('status')).code, 0);
  await id('organization create --name Shop');
  const { out } = await run('status --json');
  const { running, ready, counts, instance: found } = JSON.parse(out);
  assert.deepEqual([running, ready, found.database.kind], [false, null, 'sqlite']);
  assert.deepEqual(counts, { organizations: 1, certificates: 0, deployments: 0, messaging_keys: 0 });
});
