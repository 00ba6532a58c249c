import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { inBothWorlds, infoBody, refusal, type TestDeployment, type TestServer } from './retrieval-world.testing.ts';

/** What a request with these credentials gets: the certificate, or the answer of row 1 or 2. */
type Outcome = 'served' | 'missing_token' | 'invalid_token';

interface CredentialCase {
  readonly what: string;
  readonly headers?: readonly string[];
  readonly query?: string;
  readonly outcome: Outcome;
}

/** `good` is the deployment's token, `bad` one of the same form that nobody has. */
function casesFor(good: string, bad: string): readonly CredentialCase[] {
  const bearer = (token: string) => `Authorization: Bearer ${token}`;
  const apiKey = (token: string) => `X-API-Key: ${token}`;
  const basic = 'Authorization: Basic dXNlcjpwYXNz';
  return [
    { what: 'Bearer right', headers: [bearer(good)], outcome: 'served' },
    { what: 'Bearer wrong', headers: [bearer(bad)], outcome: 'invalid_token' },
    { what: 'Bearer empty', headers: ['Authorization: Bearer '], outcome: 'missing_token' },
    { what: 'Bearer without anything', headers: ['Authorization: Bearer'], outcome: 'missing_token' },
    { what: 'Authorization empty', headers: ['Authorization:'], outcome: 'missing_token' },
    { what: 'Bearer in lower case', headers: [`authorization: bearer ${good}`], outcome: 'served' },
    { what: 'Bearer in upper case', headers: [`AUTHORIZATION: BEARER ${good}`], outcome: 'served' },
    { what: 'blanks around the token', headers: [`Authorization: Bearer  \t ${good} \t`], outcome: 'served' },
    { what: 'a tab behind Bearer', headers: [`Authorization: Bearer\t${good}`], outcome: 'served' },
    { what: 'nothing between Bearer and token', headers: [`Authorization: Bearer${good}`], outcome: 'missing_token' },
    { what: 'the token without a scheme', headers: [`Authorization: ${good}`], outcome: 'missing_token' },
    { what: 'the token in another scheme', headers: [`Authorization: Token ${good}`], outcome: 'missing_token' },
    { what: 'two tokens in one line', headers: [`${bearer(good)}, ${good}`], outcome: 'invalid_token' },
    { what: 'the token in quotes', headers: [`Authorization: Bearer "${good}"`], outcome: 'invalid_token' },
    { what: 'U+00A0 behind the token', headers: [`${bearer(good)}\xa0`], outcome: 'invalid_token' },

    { what: 'X-API-Key right', headers: [apiKey(good)], outcome: 'served' },
    { what: 'X-API-Key wrong', headers: [apiKey(bad)], outcome: 'invalid_token' },
    { what: 'X-API-Key empty', headers: ['X-API-Key:'], outcome: 'missing_token' },
    { what: 'X-API-Key in any case', headers: [`x-Api-kEY:   ${good}  `], outcome: 'served' },
    { what: 'X-API-Key with a scheme', headers: [apiKey(`Bearer ${good}`)], outcome: 'invalid_token' },
    { what: 'another header', headers: [`Api-Key: ${good}`, `X-API-Keys: ${good}`], outcome: 'missing_token' },

    { what: 'key right', query: `key=${good}`, outcome: 'served' },
    { what: 'key wrong', query: `key=${bad}`, outcome: 'invalid_token' },
    { what: 'key empty', query: 'key=', outcome: 'missing_token' },
    { what: 'key without =', query: 'key', outcome: 'missing_token' },
    { what: 'key in another case', query: `Key=${good}&KEY=${good}`, outcome: 'missing_token' },
    { what: 'key percent-encoded', query: `k%65y=%77${good.slice(1)}`, outcome: 'served' },
    { what: 'key behind others', query: `a=1&&key=${good}&b`, outcome: 'served' },
    { what: 'key with a blank', query: `key=${good}+`, outcome: 'invalid_token' },
    { what: 'key behind a second ?', query: `?key=${good}`, outcome: 'missing_token' },
    { what: 'key twice, the same', query: `key=${good}&key=${good}`, outcome: 'invalid_token' },
    { what: 'key twice, once empty', query: `key=${good}&key=`, outcome: 'invalid_token' },
    { what: 'key twice, both empty', query: 'key=&key=', outcome: 'missing_token' },

    { what: 'Bearer wrong, X-API-Key right', headers: [bearer(bad), apiKey(good)], outcome: 'invalid_token' },
    { what: 'Bearer right, X-API-Key wrong', headers: [apiKey(bad), bearer(good)], outcome: 'served' },
    { what: 'Bearer empty, X-API-Key right', headers: ['Authorization: Bearer', apiKey(good)], outcome: 'served' },
    { what: 'Bearer wrong, key right', headers: [bearer(bad)], query: `key=${good}`, outcome: 'invalid_token' },
    { what: 'X-API-Key wrong, key right', headers: [apiKey(bad)], query: `key=${good}`, outcome: 'invalid_token' },
    { what: 'X-API-Key right, key wrong', headers: [apiKey(good)], query: `key=${bad}`, outcome: 'served' },
    { what: 'X-API-Key empty, key right', headers: ['X-API-Key: '], query: `key=${good}`, outcome: 'served' },
    {
      what: 'all empty',
      headers: ['Authorization: Bearer ', 'X-API-Key:'],
      query: 'key=',
      outcome: 'missing_token',
    },
    { what: 'Bearer right, key twice', headers: [bearer(good)], query: `key=${bad}&key=${good}`, outcome: 'served' },

    { what: 'Basic alone', headers: [basic], outcome: 'missing_token' },
    { what: 'Basic, X-API-Key right', headers: [basic, apiKey(good)], outcome: 'served' },
    { what: 'Basic, key right', headers: [basic], query: `key=${good}`, outcome: 'served' },
    { what: 'Basic, X-API-Key wrong', headers: [basic, apiKey(bad)], outcome: 'invalid_token' },
    { what: 'Basic beside Bearer', headers: [basic, bearer(good)], outcome: 'invalid_token' },

    { what: 'Authorization twice, the same', headers: [bearer(good), bearer(good)], outcome: 'served' },
    { what: 'Authorization twice, right first', headers: [bearer(good), bearer(bad)], outcome: 'invalid_token' },
    { what: 'Authorization twice, wrong first', headers: [bearer(bad), bearer(good)], outcome: 'invalid_token' },
    { what: 'Authorization twice, once empty', headers: ['Authorization:', bearer(good)], outcome: 'served' },
    { what: 'Authorization far apart', headers: [bearer(good), ...filler(40), bearer(bad)], outcome: 'invalid_token' },
    { what: 'X-API-Key twice, the same', headers: [apiKey(good), apiKey(good)], outcome: 'served' },
    { what: 'X-API-Key twice, different', headers: [apiKey(good), apiKey(bad)], outcome: 'invalid_token' },
    {
      what: 'Authorization twice, different, beside a right X-API-Key',
      headers: [bearer(good), bearer(bad), apiKey(good)],
      outcome: 'invalid_token',
    },
  ];
}

function filler(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `X-Filler-${index}: ${index}`);
}

inBothWorlds('credentials', (world) => {
  let server: TestServer;
  let deployment: TestDeployment;
  let expected: string;
  let other: TestDeployment;

  before(async () => {
    // Wrong tokens abound here; what comes of too many is told elsewhere.
    server = await world().serve({ WAXWING_WRONG_TOKENS_PER_MINUTE: '100000' });
    const { id, leaf } = await world().importLeaf({ domains: ['example.com'] });
    deployment = await world().deploy(id);
    expected = infoBody(leaf, ['example.com'], '2026-05-30 12:00:00');
    other = await world().deploy(id);
    await world().application.deployments.delete('test', other.id);
  });

  test('every way to give a token, alone and together, is answered as the contract says', async () => {
    for (const { what, headers = [], query, outcome } of casesFor(deployment.token, other.token)) {
      for (const path of ['/api/certificate', '/api/download']) {
        const answer = await server.ask(`GET ${path}${query === undefined ? '' : `?${query}`}`, ...headers);
        if (outcome !== 'served') assert.equal(answer.text, refusal(outcome, world().clock), what);
        else assert.equal(answer.status, 200, what);
        if (outcome === 'served' && path === '/api/certificate') assert.equal(answer.body, expected, what);
      }
    }
  });

  test('where no token is taken from the URL, whatever stands there counts as not supplied', async () => {
    const { deployments } = world().application;
    await deployments.update('test', deployment.id, { queryToken: false });
    const { token, bearer } = deployment;
    const ask = (query: string, ...headers: string[]) => server.ask(`GET /api/certificate?${query}`, ...headers);
    assert.equal((await ask(`key=${token}`)).text, refusal('missing_token', world().clock));
    assert.equal((await ask(`key=${token}`, 'Authorization: Basic eA==')).status, 401);
    assert.equal((await ask(`key=${token}`, bearer)).body, expected);
    // It is no longer anybody's to switch off once the deployment is refused for another reason.
    await deployments.update('test', deployment.id, { enabled: false });
    assert.equal((await ask(`key=${token}`)).text, refusal('missing_token', world().clock));
    assert.equal((await ask('', bearer)).text, refusal('invalid_token', world().clock));
    await deployments.update('test', deployment.id, { enabled: true, queryToken: true });
    assert.equal((await ask(`key=${token}`)).body, expected);
  });

  test('a token serves its own deployment and no other', async () => {
    const mine = await world().importLeaf({ domains: ['mine.example'] });
    const { bearer } = await world().deploy(mine.id);
    assert.equal((await server.ask('GET /api/download?type=key', bearer)).body, mine.leaf.keyPem);
    assert.equal((await server.ask('GET /api/certificate', deployment.bearer)).body, expected);
  });
});
