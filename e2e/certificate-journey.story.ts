import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { reasonToSkip } from '../packages/server/src/database/testing.ts';
import { lookAtServer, startNginx, tlsSite, untilServed } from './nginx.ts';
import { makeOpensslCa } from './openssl-ca.ts';
import { makeWorld, mustRun, runProgram, type World } from './world.ts';

const name = 'shop.example.test';

for (const kind of ['sqlite', 'postgres'] as const) {
  const skip = reasonToSkip(kind);
  test(`a server fetches its certificate, serves it, and serves the next version (${kind})`, { skip }, async () => {
    const world = await makeWorld(kind);
    try {
      await world.start();
      await journey(world);
    } finally {
      await world.end();
    }
  });
}

async function journey(world: World): Promise<void> {
  const ca = await makeOpensslCa(world.folder);
  const first = await ca.issue('first', [name, `www.${name}`]);
  const second = await ca.issue('second', [name, `www.${name}`]);

  const organization = await world.json<{ id: string }>('organization', 'create', '--name', 'Story');
  const imported = await world.json<{ id: string; version: string; domains: string[] }>(
    ...['certificate', 'import', '--organization', organization.id],
    ...['--certificate', first.certificate, '--certificate', ca.intermediate, '--certificate', ca.root],
    ...['--key', first.key],
  );
  assert.deepEqual(imported.domains, [name, `www.${name}`]);
  const deployment = await world.json<{ id: string; token: string }>(
    ...['deployment', 'create', '--certificate', imported.id, '--name', 'web', '--allow', '127.0.0.1'],
  );

  await threeWays(world, deployment.token);

  const certificateFile = world.path('served.crt');
  const keyFile = world.path('served.key');
  await fetchFiles(world, deployment.token, certificateFile, keyFile);
  const nginx = await startNginx(world.folder, (port) => tlsSite(port, certificateFile, keyFile));
  try {
    assert.deepEqual(await lookAtServer(nginx.port, name, ca.root), {
      verified: true,
      certificates: 2,
      serial: first.serial,
    });

    const twin = await world.waxwing([
      ...['certificate', 'import', '--organization', organization.id, '--certificate', second.certificate],
      ...['--certificate', ca.intermediate, '--key', second.key, '--json'],
    ]);
    const refusal = JSON.parse(twin.stderr) as { code: string; parameters: { id: string } };
    assert.deepEqual([twin.code, refusal.code, refusal.parameters.id], [1, 'certificate_exists', imported.id]);
    const renewed = await world.json<{ version: string; number: number }>(
      ...['certificate', 'import', '--organization', organization.id, '--onto', imported.id],
      ...['--certificate', second.certificate, '--certificate', ca.intermediate, '--key', second.key],
    );
    assert.equal(renewed.number, 2);
    await fetchFiles(world, deployment.token, certificateFile, keyFile);
    nginx.reload();
    const served = await untilServed(nginx, { name, ca: ca.root, serial: second.serial });
    assert.deepEqual(served, { verified: true, certificates: 2, serial: second.serial });
  } finally {
    await nginx.stop();
  }

  const former = await fetch(`${world.url}/api/download?version=${imported.version}`, {
    headers: { 'x-api-key': deployment.token },
  });
  assert.equal(former.status, 200);
  assert.equal(former.headers.get('certificate-version'), imported.version);

  const back = await world.json<{ version: string }>('certificate', 'activate', imported.id, '--version', '1');
  assert.equal(back.version, imported.version);
  await fetchFiles(world, deployment.token, certificateFile, keyFile);
  assert.deepEqual(readFileSync(keyFile), readFileSync(first.key), 'by the same token');

  const verdict = await world.json<{ faults: unknown[] }>('audit', 'verify');
  assert.deepEqual(verdict.faults, []);
  const { code: doctorCode, stdout: doctorSaid } = await world.waxwing(['doctor']);
  assert.equal(doctorCode, 0, doctorSaid);

  assert.equal(await world.stop(), 0);
  scanForSecrets(world, [deployment.token], [first.key, second.key]);
}

/** The three ways to present a token by curl, as in the guide. */
async function threeWays(world: World, token: string): Promise<void> {
  const ways = [
    ['-H', `Authorization: Bearer ${token}`, `${world.url}/api/certificate`],
    ['-H', `X-API-Key: ${token}`, `${world.url}/api/certificate`],
    [`${world.url}/api/certificate?key=${token}`],
  ];
  for (const way of ways) {
    const answer = JSON.parse(await mustRun('curl', ['-sS', '--fail', ...way]));
    assert.equal(answer.status, 'success');
    assert.deepEqual(Object.keys(answer.data.certificate_info), [
      'domains',
      'certificate',
      'private_key',
      'expires_at',
    ]);
  }
  const refused = await runProgram('curl', ['-sS', '-o', '-', '-w', '%{http_code}', `${world.url}/api/certificate`]);
  assert.match(refused.stdout, /"message":"缺少API密钥".*401$/);
}

/** The documented recipe: fetches the key of the certificate's version, so that both are a pair. */
async function fetchFiles(world: World, token: string, certificateFile: string, keyFile: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const certificate = await fetch(`${world.url}/api/download`, { headers });
  const version = certificate.headers.get('certificate-version');
  const key = await fetch(`${world.url}/api/download?type=key&version=${version}`, { headers });
  assert.equal(certificate.status, 200);
  assert.equal(key.status, 200);
  writeFileSync(certificateFile, await certificate.text());
  writeFileSync(keyFile, await key.text(), { mode: 0o600 });
}

/** The database file, the WAL and the log hold no private key or token in clear. */
function scanForSecrets(world: World, tokens: readonly string[], keyFiles: readonly string[]): void {
  const pieces = [...tokens];
  for (const file of keyFiles) {
    const lines = readFileSync(file, 'utf8').split('\n');
    // Any line of the key's body, which occurs nowhere else.
    pieces.push(...lines.filter((line) => line.length === 64));
    const der = Buffer.from(lines.filter((line) => !line.startsWith('-----')).join(''), 'base64');
    pieces.push(der.subarray(64, 96).toString('latin1'), der.subarray(64, 96).toString('hex'));
  }
  assert.ok(pieces.length > 10);
  const folder = world.path('data');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.length > 0);
  for (const file of files) {
    const bytes = readFileSync(`${file.parentPath}/${file.name}`).toString('latin1');
    for (const piece of pieces) assert.ok(!bytes.includes(piece), `a secret stands in clear in ${file.name}`);
  }
  for (const piece of pieces) assert.ok(!world.log.includes(piece), 'a secret stands in clear in the log');
}
