import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Credential } from '../../http/request/credential.ts';
import { parseAddress } from '../../http/request/ip-address.ts';
import { compileAllowList } from '../../http/request/ip-allow-list.ts';
import { problems } from '../../runtime/problem.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { access, type RefusalCode, type TokenFacts, type VersionFacts } from './access.ts';

const now = 1_000_000;

/** All that a decision depends on, in a form that faults can be written into one after the other. */
interface Scenario {
  credential: Credential;
  known: boolean;
  otherKind: boolean;
  disabled: boolean;
  tokenExpiresAt: number | null;
  suspended: boolean;
  enabled: boolean;
  permitted: boolean;
  queryToken: boolean;
  deploymentExpiresAt: number | null;
  allow: string[];
  address: string | undefined;
  certificate: boolean;
  issued: boolean;
  current: VersionFacts | undefined;
  former: VersionFacts | undefined;
  versions: string[];
  types: string[] | undefined;
}

const token = (source: 'bearer' | 'api-key' | 'query'): Credential => ({
  kind: 'token',
  token: new SecretText('wxd_x'),
  source,
});

function allowed(): Scenario {
  return {
    credential: token('bearer'),
    known: true,
    otherKind: false,
    disabled: false,
    tokenExpiresAt: null,
    suspended: false,
    enabled: true,
    permitted: true,
    queryToken: true,
    deploymentExpiresAt: null,
    allow: ['192.0.2.0/24'],
    address: '192.0.2.1',
    certificate: true,
    issued: true,
    current: { id: 'v2', revoked: false },
    former: { id: 'v1', revoked: false },
    versions: [],
    types: ['key'],
  };
}

function decide(change: (scenario: Scenario) => void) {
  const scenario = allowed();
  change(scenario);
  const { issued, current, former, enabled, permitted, queryToken } = scenario;
  const deployment = {
    enabled,
    permitted,
    queryToken,
    expiresAt: scenario.deploymentExpiresAt,
    allowList: compileAllowList(scenario.allow),
    certificate: scenario.certificate ? { issued, current, former } : undefined,
  };
  const facts: TokenFacts = {
    disabled: scenario.disabled,
    expiresAt: scenario.tokenExpiresAt,
    organizationSuspended: scenario.suspended,
    deployment: scenario.otherKind ? undefined : deployment,
  };
  const { credential, versions, types } = scenario;
  const address = scenario.address === undefined ? undefined : parseAddress(scenario.address);
  return access(scenario.known ? facts : undefined, { credential, address, versions, types }, now);
}

interface FaultOfAccess {
  readonly name: string;
  readonly code: RefusalCode;
  readonly apply: (scenario: Scenario) => void;
}

/** In the order of the error table. */
const rows: readonly FaultOfAccess[][] = [
  faults('missing_token', {
    'no token': (s) => (s.credential = { kind: 'none' }),
    'a token in the query, switched off': (s) => Object.assign(s, { credential: token('query'), queryToken: false }),
  }),
  faults('invalid_token', {
    'an ambiguous token': (s) => (s.credential = { kind: 'ambiguous' }),
    'an unknown token': (s) => (s.known = false),
    'a disabled token': (s) => (s.disabled = true),
    'a disabled deployment': (s) => (s.enabled = false),
    'a token expired just now': (s) => (s.tokenExpiresAt = now),
    'a deployment expired just now': (s) => (s.deploymentExpiresAt = now),
    'a suspended organization': (s) => (s.suspended = true),
  }),
  faults('token_not_permitted', {
    'no deployment permission': (s) => (s.permitted = false),
    'a token of another kind': (s) => (s.otherKind = true),
  }),
  faults('address_not_allowed', {
    'another address': (s) => (s.address = '192.0.3.1'),
    'an undetermined address': (s) => (s.address = undefined),
    'an empty allow-list': (s) => (s.allow = []),
  }),
  faults('certificate_not_found', {
    'no certificate': (s) => (s.certificate = false),
    'a certificate not issued, failed or revoked': (s) => (s.issued = false),
    'no version yet': (s) => (s.current = undefined),
    'a revoked current version': (s) => (s.current = { id: 'v2', revoked: true }),
    'an unknown version asked for': (s) => (s.versions = ['v0']),
    'an empty version asked for': (s) => (s.versions = ['']),
    'a version asked for twice': (s) => (s.versions = ['v2', 'v2']),
  }),
  faults('invalid_download_type', {
    'an unknown type': (s) => (s.types = ['pem']),
    'an empty type': (s) => (s.types = ['']),
    'a type in another case': (s) => (s.types = ['Key']),
    'a type given twice': (s) => (s.types = ['key', 'key']),
  }),
];

function faults(code: RefusalCode, table: Record<string, (scenario: Scenario) => unknown>): FaultOfAccess[] {
  return Object.entries(table).map(([name, apply]) => ({ name, code, apply }));
}

/** Faults that are about the same fact, or that leave the other nothing to be about. */
function exclude(first: FaultOfAccess, second: FaultOfAccess): boolean {
  const names = [first.name, second.name];
  const credential = ['no token', 'a token in the query, switched off', 'an ambiguous token'];
  const needsDeployment = names.includes('a token in the query, switched off');
  if (needsDeployment && names.some((name) => ['an unknown token', 'a token of another kind'].includes(name)))
    return true;
  if (names.includes('a token of another kind')) {
    return names.some((name) => ['a disabled deployment', 'a deployment expired just now'].includes(name));
  }
  return credential.includes(first.name) && credential.includes(second.name);
}

describe('access', () => {
  test('is given when nothing speaks against it', () => {
    assert.deepEqual(
      decide(() => {}),
      { allow: true, version: { id: 'v2', revoked: false }, type: 'key' },
    );
  });

  for (const row of rows) {
    for (const { name, code, apply } of row) {
      test(`${name} is answered ${code}`, () => {
        assert.deepEqual(decide(apply), { allow: false, deny: code });
      });
    }
  }

  test('of any two faults at once, the one in the earlier row answers', () => {
    let pairs = 0;
    for (const [index, row] of rows.entries()) {
      for (const first of row) {
        for (const second of rows.slice(index + 1).flat()) {
          if (exclude(first, second)) continue;
          pairs++;
          for (const order of [
            [first, second],
            [second, first],
          ]) {
            const decision = decide((scenario) => {
              for (const { apply } of order) apply(scenario);
            });
            assert.deepEqual(decision, { allow: false, deny: first.code }, `${first.name} and ${second.name}`);
          }
        }
      }
    }
    assert.ok(pairs > 200, `${pairs} pairs`);
  });

  test('all faults of a row and of every later row at once are answered by that row', () => {
    for (const [index, row] of rows.entries()) {
      for (const first of row) {
        const decision = decide((scenario) => {
          for (const later of rows.slice(index + 1).flat()) if (!exclude(first, later)) later.apply(scenario);
          first.apply(scenario);
        });
        assert.deepEqual(decision, { allow: false, deny: first.code }, first.name);
      }
    }
  });

  test('the rows have the statuses and texts of the table', () => {
    assert.deepEqual(
      rows.map(([first]) => first && [problems[first.code].status, problems[first.code].message]),
      [
        [401, '缺少API密钥'],
        [401, '无效的API密钥'],
        [403, '当前API密钥未授权访问'],
        [403, '当前IP未授权访问'],
        [404, '未找到有效的证书'],
        [400, '无效的下载类型'],
      ],
    );
  });

  test('a token lasts until the very moment it expires', () => {
    const lasts = (at: number) =>
      decide((s) => Object.assign(s, { tokenExpiresAt: at, deploymentExpiresAt: at })).allow;
    assert.deepEqual([lasts(now + 1), lasts(now), lasts(now - 1)], [true, false, false]);
  });

  test('a token of another kind that is not valid is invalid, not unpermitted', () => {
    const decision = decide((s) => Object.assign(s, { otherKind: true, tokenExpiresAt: now }));
    assert.deepEqual(decision, { allow: false, deny: 'invalid_token' });
  });

  test('the query may carry the token unless it is switched off, which concerns no other way', () => {
    assert.equal(decide((s) => (s.credential = token('query'))).allow, true);
    assert.equal(decide((s) => Object.assign(s, { credential: token('api-key'), queryToken: false })).allow, true);
    assert.equal(decide((s) => (s.queryToken = false)).allow, true);
  });

  test('an unknown token in the query is invalid', () => {
    const decision = decide((s) => Object.assign(s, { credential: token('query'), known: false }));
    assert.deepEqual(decision, { allow: false, deny: 'invalid_token' });
  });

  const versionAnswered = (change: (scenario: Scenario) => void) => {
    const decision = decide(change);
    return decision.allow ? decision.version.id : decision.deny;
  };

  test('a version is answered while it is the current one or the one before it', () => {
    assert.equal(
      versionAnswered((s) => (s.versions = ['v2'])),
      'v2',
    );
    assert.equal(
      versionAnswered((s) => (s.versions = ['v1'])),
      'v1',
    );
    assert.equal(
      versionAnswered((s) => Object.assign(s, { versions: ['v1'], former: undefined })),
      'certificate_not_found',
    );
  });

  test('a revoked version is not answered, pinned or not, and never replaced by another', () => {
    const revoked = (id: string) => ({ id, revoked: true });
    assert.equal(
      versionAnswered((s) => (s.current = revoked('v2'))),
      'certificate_not_found',
    );
    assert.equal(
      versionAnswered((s) => Object.assign(s, { current: revoked('v2'), versions: ['v2'] })),
      'certificate_not_found',
    );
    assert.equal(
      versionAnswered((s) => Object.assign(s, { former: revoked('v1'), versions: ['v1'] })),
      'certificate_not_found',
    );
    assert.equal(
      versionAnswered((s) => Object.assign(s, { current: revoked('v2'), versions: ['v1'] })),
      'v1',
    );
    assert.equal(
      versionAnswered((s) => Object.assign(s, { issued: false, versions: ['v1'] })),
      'certificate_not_found',
    );
  });

  test('the type is the certificate when it is left out, and means nothing where there is none', () => {
    const type = (types: string[] | undefined) => {
      const decision = decide((s) => (s.types = types));
      return decision.allow && decision.type;
    };
    assert.deepEqual(
      [type([]), type(['certificate']), type(['key']), type(undefined)],
      ['certificate', 'certificate', 'key', 'certificate'],
    );
  });
});
