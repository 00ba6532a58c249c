import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { timeStep, totpCode } from '../../packages/server/src/accounts/factors/totp.ts';
import { reasonToSkip } from '../../packages/server/src/database/testing.ts';
import { type CookieJar, newCookieJar } from '../cookie-jar.ts';
import { makeOpensslCa } from '../openssl-ca.ts';
import { makeWorld, mustRun, type World } from '../world.ts';

/** The real port is not known yet. */
const baseUrl = 'http://localhost:8080';
const operatorPassword = 'seven herons on the ice';
const memberPassword = 'a kettle under the stairs';
const email = 'ops@example.com';

for (const kind of ['sqlite', 'postgres'] as const) {
  const skip = reasonToSkip(kind);
  test(`from the first operator to a certificate that a member of theirs lets a server fetch (${kind})`, {
    skip,
  }, async () => {
    const world = await makeWorld(kind, { WAXWING_BASE_URL: baseUrl });
    try {
      await world.start();
      const secrets = await journey(world);
      assert.deepEqual((await world.json<{ faults: unknown[] }>('audit', 'verify')).faults, []);
      assert.equal(await world.stop(), 0);
      assert.ok(secrets.length > 12);
      for (const secret of secrets) assert.equal(world.log.includes(secret), false, 'a secret stands in the log');
    } finally {
      await world.end();
    }
  });
}

/** @returns every secret used */
async function journey(world: World): Promise<readonly string[]> {
  const secrets: string[] = [operatorPassword, memberPassword];
  const jar = () => newCookieJar(world.url, baseUrl);

  const { link } = await world.json<{ link: string }>('operator', 'create', '--email', email);
  const token = tokenOf(link);
  secrets.push(token);
  const authenticator = await firstSignIn(jar(), token, secrets);
  const operator = jar();
  const code = await withSecondFactor(operator, authenticator, secrets);
  await assert.rejects(withCode(jar(), code), /wrong_credentials/, 'a code is accepted once');

  const acme = await operator.ask<{ id: string }>(201, 'POST', '/organizations', { name: 'Acme' });
  const invitation = await operator.ask<{ link: string }>(201, 'POST', `/organizations/${acme.id}/invitations`, {
    email: 'ann@example.com',
    role: 'developer',
  });
  secrets.push(tokenOf(invitation.link));
  const member = jar();
  const body = { token: tokenOf(invitation.link), password: memberPassword };
  await member.ask(200, 'POST', '/links/accept', body);
  secrets.push(...member.cookies.values());
  await member.ask(410, 'POST', '/links/accept', body);

  const deployment = await deploy(world, member, acme.id);
  secrets.push(deployment.token);
  await fetchByCurl(world, deployment.token);

  await operator.ask(200, 'POST', `/organizations/${acme.id}/suspend`);
  assert.equal((await fetch(`${world.url}/api/certificate?key=${deployment.token}`)).status, 401);
  await operator.ask(200, 'POST', `/organizations/${acme.id}/resume`);
  await fetchByCurl(world, deployment.token);

  await operator.ask(204, 'POST', '/me/sign-out');
  await operator.ask(401, 'GET', '/me');
  return secrets;
}

function tokenOf(link: string): string {
  const { origin, pathname, hash, search } = new URL(link);
  assert.deepEqual([origin + pathname, search], [`${baseUrl}/console/welcome`, '']);
  const [, token = ''] = /^#token=([\w-]{43})$/.exec(hash) ?? [];
  assert.notEqual(token, '', link);
  return token;
}

/** Sets the password by the link and enrols an authenticator app. @returns its secret */
async function firstSignIn(jar: CookieJar, token: string, secrets: string[]): Promise<Uint8Array> {
  const described = await jar.ask(200, 'POST', '/links/describe', { token });
  assert.deepEqual([described.kind, described.email, described.needs_password], ['activation', email, true]);
  await jar.ask(200, 'POST', '/links/accept', { token, password: operatorPassword });
  secrets.push(...jar.cookies.values());
  const { secret } = await jar.ask<{ secret: string }>(201, 'POST', '/me/totp');
  secrets.push(secret);
  const authenticator = fromBase32(secret);
  // One step early, so that the current one stays unused.
  const code = totpCode(authenticator, timeStep(Date.now()) - 1);
  const { recovery_codes: codes } = await jar.ask<{ recovery_codes: string[] }>(200, 'POST', '/me/totp/confirm', {
    code,
  });
  assert.equal(codes.length, 10);
  secrets.push(...codes);
  return authenticator;
}

/** @returns the used code */
async function withSecondFactor(jar: CookieJar, authenticator: Uint8Array, secrets: string[]): Promise<string> {
  const code = totpCode(authenticator, timeStep(Date.now()));
  await withCode(jar, code);
  secrets.push(...jar.cookies.values());
  const me = await jar.ask(200, 'GET', '/me');
  assert.deepEqual([me.email, me.operator], [email, true]);
  return code;
}

async function withCode(jar: CookieJar, totp: string): Promise<void> {
  const step = await jar.ask(200, 'POST', '/sign-in', { email, password: operatorPassword });
  assert.deepEqual(step, { state: 'second_factor', factors: ['totp', 'recovery_code'] });
  await jar.ask(401, 'GET', '/me');
  assert.deepEqual(await jar.ask(200, 'POST', '/sign-in/code', { totp }), { state: 'signed_in', factors: [] });
}

async function deploy(world: World, jar: CookieJar, organizationId: string): Promise<{ token: string }> {
  const ca = await makeOpensslCa(world.folder);
  const leaf = await ca.issue('leaf', ['shop.example.test']);
  const files = [leaf.certificate, ca.intermediate, leaf.key].map((file, index) => ({
    name: `file ${index}`,
    text: readFileSync(file, 'utf8'),
  }));
  const at = `/organizations/${organizationId}`;
  const { id } = await jar.ask<{ id: string }>(201, 'POST', `${at}/certificates`, { files });
  // A developer may deploy a key, but not see it.
  await jar.ask(403, 'POST', `${at}/certificates/${id}/export`, { format: 'pem' });
  return jar.ask(201, 'POST', `${at}/deployments`, { certificate_id: id, name: 'web', allow: ['127.0.0.1'] });
}

async function fetchByCurl(world: World, token: string): Promise<void> {
  const header = `Authorization: Bearer ${token}`;
  const answer = JSON.parse(await mustRun('curl', ['-sS', '--fail', '-H', header, `${world.url}/api/certificate`]));
  assert.deepEqual(answer.data.certificate_info.domains, ['shop.example.test']);
  assert.match(answer.data.certificate_info.private_key, /PRIVATE KEY/);
}

function fromBase32(text: string): Uint8Array {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  return Uint8Array.from(bits.join('').match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
