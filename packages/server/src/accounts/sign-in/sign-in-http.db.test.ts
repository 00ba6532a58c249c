import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { signInOperations } from '@waxwing/contract/management-api/operations/sign-in-operations.ts';
import { applicationOn } from '../../cli/application.testing.ts';
import type { DatabaseKind } from '../../database/database.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { apiHeaders } from '../../http/api-headers.ts';
import { networkSet } from '../../http/request/ip-address.ts';
import { createWindowLimit } from '../../http/request/window-limit.ts';
import { createHttpServer } from '../../http/server.ts';
import { registerManagementApi } from '../../management-api.ts';
import { createAuthenticator } from '../factors/authenticator.testing.ts';
import { clientAt, tokenOf } from '../people-world.testing.ts';

const password = 'unrelated words 7 herons';
const email = 'ops@example.com';

/** A browser: keeps cookies, and sends the origin of our pages with changes. */
interface Browser {
  readonly cookies: Map<string, string>;
  /** The attributes of each cookie that was given last. */
  readonly attributes: Map<string, string>;
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; json: Record<string, unknown>; headers: Headers }>;
}

async function serve(t: TestContext, kind: DatabaseKind, baseUrl = 'https://wax.example.com') {
  const opened = await (await applicationOn(t, kind))();
  const application = { ...opened, settings: { ...opened.settings, baseUrl } };
  const { clock, people } = application;
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const limits = { headerBytes: 16_384, connections: 100 };
  const app = createHttpServer({ log, clock, limits, problemHeaders: apiHeaders(application.settings.baseUrl) });
  registerManagementApi(app, {
    application,
    credentials: application.credentials,
    wrongTokens: createWindowLimit({ limit: 1e9 }),
    trustedProxies: networkSet([]),
    onUntrustedForward: () => {},
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1`;
  const { link } = await people.operators.create('cli', email);
  return { people, token: tokenOf(link), browser: () => createBrowser(url, baseUrl) };
}

function createBrowser(url: string, origin: string): Browser {
  const cookies = new Map<string, string>();
  const attributes = new Map<string, string>();
  return {
    cookies,
    attributes,
    async ask(method, path, body, headers = {}) {
      const answer = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(method === 'GET' ? {} : { origin }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*); (.*)$/.exec(line) ?? [];
        attributes.set(name, rest);
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const text = await answer.text();
      return { status: answer.status, json: text === '' ? {} : JSON.parse(text), headers: answer.headers };
    },
  };
}

onBothDatabases('signing in over HTTP', (_open, kind) => {
  test('from the first link to signing out, with cookies that no script and no other site can use', async (t) => {
    const { token, browser } = await serve(t, kind);
    const first = browser();
    const described = await first.ask('POST', '/links/describe', { token });
    assert.deepEqual([described.status, described.json.email, described.json.kind], [200, email, 'activation']);
    const weak = await first.ask('POST', '/links/accept', { token, password: 'password1234' });
    assert.deepEqual(
      [weak.status, weak.json.code, weak.json.field, weak.json.reason],
      [422, 'password_rejected', 'password', 'common'],
    );
    const accepted = await first.ask('POST', '/links/accept', { token, password });
    assert.deepEqual([accepted.status, accepted.json], [200, { state: 'signed_in' }]);
    const again = await first.ask('POST', '/links/accept', { token, password });
    assert.deepEqual([again.status, again.json.code], [410, 'link_expired']);

    const second = browser();
    assert.equal((await second.ask('GET', '/me')).json.code, 'unauthenticated');
    const signedIn = await second.ask('POST', '/sign-in', { email, password });
    assert.deepEqual([signedIn.status, signedIn.json], [200, { state: 'signed_in', factors: [] }]);
    assert.match(
      second.attributes.get('__Host-waxwing') ?? '',
      /^Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=60\d{4}$/,
    );
    assert.match(second.attributes.get('__Host-waxwing-device') ?? '', /^Path=\/; HttpOnly; SameSite=Lax; Secure/);
    const me = await second.ask('GET', '/me');
    assert.deepEqual([me.status, me.json.email, me.json.operator], [200, email, true]);

    const sessions = (await second.ask('GET', '/me/sessions')).json.items as { id: string; current: boolean }[];
    assert.deepEqual(
      sessions.map(({ current }) => current),
      [true, false],
    );
    assert.equal((await second.ask('DELETE', `/me/sessions/${sessions[1]?.id}`)).status, 204);
    assert.equal((await first.ask('GET', '/me')).status, 401);
    const kept = second.cookies.get('__Host-waxwing') ?? '';
    assert.equal((await second.ask('POST', '/me/sign-out')).status, 204);
    assert.equal(second.cookies.has('__Host-waxwing'), false);
    second.cookies.set('__Host-waxwing', kept);
    assert.equal((await second.ask('GET', '/me')).status, 401);
  });

  test('a page of another origin signs nobody in and changes nothing', async (t) => {
    const { token, browser } = await serve(t, kind);
    const person = browser();
    await person.ask('POST', '/links/accept', { token, password });
    for (const headers of [
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { origin: 'http://wax.example.com' },
      { origin: 'https://wax.example.com.evil.test' },
    ]) {
      for (const [path, body] of [
        ['/sign-in', { email, password }],
        ['/me/sign-out', undefined],
        ['/me/password', { current_password: password, new_password: 'other unrelated words' }],
      ] as const) {
        const { status, json } = await person.ask('POST', path, body, headers);
        assert.deepEqual(
          [status, json.code, json.reason],
          [403, 'origin_not_allowed', 'foreign_origin'],
          `${headers.origin} ${path}`,
        );
      }
    }
    assert.equal((await person.ask('GET', '/me')).status, 200);
  });

  test('a cookie from before the sign-in is not the session after it', async (t) => {
    const { token, browser } = await serve(t, kind);
    const owner = browser();
    await owner.ask('POST', '/links/accept', { token, password });
    const victim = browser();
    const planted = 'A'.repeat(43);
    victim.cookies.set('__Host-waxwing', planted);
    assert.equal((await victim.ask('POST', '/sign-in', { email, password })).status, 200);
    assert.notEqual(victim.cookies.get('__Host-waxwing'), planted);
    const attacker = browser();
    attacker.cookies.set('__Host-waxwing', planted);
    assert.equal((await attacker.ask('GET', '/me')).status, 401);
    // Whoever signs in over a living session gets another one, too.
    const former = victim.cookies.get('__Host-waxwing');
    await victim.ask('POST', '/sign-in', { email, password });
    assert.notEqual(victim.cookies.get('__Host-waxwing'), former);
  });

  test('a sign-in ends the session that the browser had, whoever it was of, and no other', async (t) => {
    const { people, token, browser } = await serve(t, kind);
    const elsewhere = browser();
    await elsewhere.ask('POST', '/links/accept', { token, password });
    const { link } = await people.operators.create('cli', 'other@example.com');
    const shared = browser();
    await shared.ask('POST', '/links/accept', { token: tokenOf(link), password });
    const former = browser();
    former.cookies.set('__Host-waxwing', shared.cookies.get('__Host-waxwing') ?? '');
    assert.equal((await former.ask('GET', '/me')).json.email, 'other@example.com');
    assert.equal((await shared.ask('POST', '/sign-in', { email, password })).status, 200);
    assert.equal((await shared.ask('GET', '/me')).json.email, email);
    assert.equal((await former.ask('GET', '/me')).status, 401);
    assert.equal((await elsewhere.ask('GET', '/me')).status, 200);
  });

  test('while too many strangers are at it, whatever asks the database for a stranger is refused', async (t) => {
    const { people, browser } = await serve(t, kind);
    const end = Promise.withResolvers<void>();
    const others = Array.from({ length: 16 }, (_, n) =>
      people.anonymousWork.forStranger(clientAt(`192.0.2.${n}`), () => end.promise),
    );
    const token = 'A'.repeat(43);
    const bodies: Readonly<Record<string, unknown>> = {
      signIn: { email, password },
      signInWithCode: { totp: '123456' },
      signInWithPasskey: { credential: { id: 'x', rawId: 'x', type: 'public-key', response: { clientDataJSON: '' } } },
      describeLink: { token },
      acceptLink: { token, password },
    };
    for (const step of [undefined, token]) {
      const stranger = browser();
      for (const { id, method, path } of signInOperations) {
        if (id === 'signInWithCode' && step === undefined) continue;
        if (step !== undefined) stranger.cookies.set('__Host-waxwing-step', step);
        const { status, json, headers } = await stranger.ask(method, path, bodies[id]);
        if (id === 'showSignInMethods') assert.equal(status, 200);
        // They wait in lines of their own; those who hold no step and no link are told so.
        else if (id === 'finishSsoSignIn') assert.match(headers.get('location') ?? '', /#error=sso_refused/);
        else if (id === 'beginSsoSignIn') assert.equal(json.code, 'sso_refused');
        else if (id === 'describeLink' || id === 'acceptLink') assert.equal(json.code, 'link_expired');
        else if (step !== undefined && id !== 'signIn') assert.equal(json.code, 'sign_in_expired', id);
        else assert.deepEqual([id, status, json.code], [id, 429, 'too_many_requests']);
        if (status === 429) assert.equal(headers.get('retry-after'), '2', id);
      }
    }
    end.resolve();
    await Promise.all(others);
    assert.equal((await browser().ask('POST', '/sign-in/passkey-options')).status, 200);
  });

  test('with a passkey as second factor, and by it alone', async (t) => {
    const { token, browser } = await serve(t, kind, 'http://localhost:8080');
    const person = browser();
    await person.ask('POST', '/links/accept', { token, password });
    const authenticator = createAuthenticator('http://localhost:8080', 'EdDSA');
    const options = await person.ask('POST', '/me/passkeys/options');
    assert.equal(options.status, 200);
    const credential = authenticator.create(options.json as never);
    const added = await person.ask('POST', '/me/passkeys', { name: 'phone', credential });
    assert.equal(added.status, 201, JSON.stringify(added.json));
    const [code] = added.json.recovery_codes as string[];

    const other = browser();
    const step = await other.ask('POST', '/sign-in', { email, password });
    assert.deepEqual(step.json, { state: 'second_factor', factors: ['passkey', 'recovery_code'] });
    assert.equal(other.cookies.has('waxwing'), false);
    assert.equal((await other.ask('GET', '/me')).status, 401);
    const asked = await other.ask('POST', '/sign-in/passkey-options');
    const answer = { credential: authenticator.get(asked.json as never) };
    assert.deepEqual((await other.ask('POST', '/sign-in/passkey', answer)).json.state, 'signed_in');
    assert.equal(other.cookies.has('waxwing-step'), false);
    assert.equal((await other.ask('GET', '/me')).status, 200);

    const alone = browser();
    const question = await alone.ask('POST', '/sign-in/passkey-options');
    const reply = { credential: authenticator.get(question.json as never) };
    assert.equal((await alone.ask('POST', '/sign-in/passkey', reply)).json.state, 'signed_in');
    assert.equal((await browser().ask('POST', '/sign-in/passkey', reply)).json.code, 'wrong_credentials');

    const lost = browser();
    await lost.ask('POST', '/sign-in', { email, password });
    assert.equal((await lost.ask('POST', '/sign-in/code', { recovery_code: code })).json.state, 'signed_in');
    assert.equal((await browser().ask('POST', '/sign-in/code', { recovery_code: code })).json.code, 'sign_in_expired');
  });

  test('a step that is over does not stand in the way of a passkey alone', async (t) => {
    const { browser } = await serve(t, kind, 'http://localhost:8080');
    const person = browser();
    person.cookies.set('waxwing-step', 'A'.repeat(43));
    assert.equal((await person.ask('POST', '/sign-in/passkey-options')).json.code, 'sign_in_expired');
    assert.equal(person.cookies.has('waxwing-step'), false);
    assert.equal((await person.ask('POST', '/sign-in/passkey-options')).status, 200);
  });

  test('without an identity provider says so, and its callback leads to the console', async (t) => {
    const { browser } = await serve(t, kind, 'http://localhost:8080');
    const person = browser();
    assert.deepEqual((await person.ask('GET', '/sign-in')).json, { password: true, passkey: true, sso: false });
    assert.equal((await person.ask('POST', '/sign-in/sso')).json.code, 'sso_refused');
    const back = await person.ask('GET', '/sign-in/sso/callback?code=x&state=y&session_state=z');
    assert.deepEqual(
      [back.status, back.headers.get('location')],
      [303, 'http://localhost:8080/console/sign-in#error=sso_refused&reason=no_identity_provider'],
    );
  });

  test('over plain HTTP the cookie has no prefix, and is kept from scripts all the same', async (t) => {
    const { token, browser } = await serve(t, kind, 'http://localhost:8080');
    const person = browser();
    await person.ask('POST', '/links/accept', { token, password });
    assert.match(person.attributes.get('waxwing') ?? '', /^Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    assert.equal((await person.ask('GET', '/me')).status, 200);
  });
});
