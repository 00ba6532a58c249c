import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CertificateFaultCode } from '@waxwing/contract/management-api/certificate-faults.ts';
import { type ChainCompletion, completeChain, type FetchedIssuer } from './complete-chain.ts';
import { writePem } from './der/pem.ts';
import { judgeStored } from './judge-stored.ts';
import { createKnownAuthorities } from './known-authorities.ts';
import { seedTime as now, pkcs7 } from './material-seeds.testing.ts';
import { makeTrialCa, makeTrialKey, type TrialCa, type TrialCertificate } from './trial-ca.testing.ts';
import { readX509 } from './x509.ts';

const day = 86_400_000;
const domains = ['www.example.com'];
const urlOf = (name: string) => `http://authority.example/${name}`;

const root = makeTrialCa({ now, commonName: 'Known Root' });
const stranger = makeTrialCa({ now, commonName: 'Strange Root' });
const intermediate = root.intermediate({ commonName: 'Intermediate' });
const leaf = intermediate.issue({ domains, issuerUrls: [urlOf('i')] });
const weakKey = makeTrialKey('rsa-1024');

type Answers = Readonly<Record<string, FetchedIssuer | Buffer | string>>;

interface Completion {
  readonly chain: readonly TrialCertificate[];
  readonly known?: readonly TrialCertificate[];
  /** By the last part of the URL. */
  readonly answers: Answers;
}

interface Expected {
  /** The chain that results. */
  readonly chain?: readonly TrialCertificate[];
  readonly root?: TrialCertificate;
  readonly unfinished?: CertificateFaultCode;
  readonly asked?: readonly string[];
  readonly fault?: CertificateFaultCode;
  readonly says?: RegExp;
}

function fetched(answer: FetchedIssuer | Buffer | string): FetchedIssuer {
  return typeof answer === 'string' || Buffer.isBuffer(answer)
    ? { kind: 'fetched', bytes: Buffer.from(answer) }
    : answer;
}

const pemOf = (certificates: readonly TrialCertificate[]) =>
  certificates.map(({ certificatePem }) => certificatePem).join('');

const knownOf = (certificates: readonly TrialCertificate[]) =>
  createKnownAuthorities(() => certificates.map(({ certificateDer }) => certificateDer));

async function complete({ chain, known = [root], answers }: Completion) {
  const asked: string[] = [];
  const outcome = await completeChain({
    chain: pemOf(chain),
    known: knownOf(known),
    now,
    fetch: async (url) => {
      const name = url.slice(url.lastIndexOf('/') + 1);
      asked.push(name);
      const answer = answers[name];
      assert.ok(answer !== undefined, `nobody answers ${url}`);
      return fetched(answer);
    },
  });
  return { asked, outcome };
}

/** A CA above whose every level stands another one, `levels` in all; the uppermost is under the known root. */
function tower(levels: number) {
  const answers: Record<string, Buffer> = {};
  const above: TrialCertificate[] = [];
  let at: TrialCa = root;
  for (let level = levels; level > 0; level--) {
    at = at.intermediate({ commonName: `Level ${level}`, issuerUrls: [urlOf(`${level + 1}`)] });
    answers[`${level}`] = at.certificateDer;
    above.unshift(at);
  }
  return { below: at.issue({ domains, issuerUrls: [urlOf('1')] }), above, answers };
}

/** Certificates with the name of the intermediate and other keys. */
const crowdOf = (count: number, keyId?: Buffer) =>
  Array.from(
    { length: count },
    () => root.intermediate({ commonName: 'Intermediate', ...(keyId !== undefined && { keyId }) }).certificateDer,
  );

const keyIdOf = ({ certificateDer }: TrialCertificate) => Buffer.from(readX509(certificateDer).keyId ?? '', 'hex');

const cases: Record<string, () => readonly [Completion, Expected]> = {
  'an answer in DER': () => [
    { chain: [leaf], answers: { i: intermediate.certificateDer } },
    { chain: [leaf, intermediate], asked: ['i'] },
  ],
  'an answer in PEM': () => [
    { chain: [leaf], answers: { i: intermediate.certificatePem } },
    { chain: [leaf, intermediate] },
  ],
  'an answer in PKCS#7': () => [
    { chain: [leaf], answers: { i: pkcs7([stranger.certificateDer, intermediate.certificateDer]) } },
    { chain: [leaf, intermediate] },
  ],
  'an answer in PKCS#7 as PEM': () => [
    { chain: [leaf], answers: { i: writePem('PKCS7', pkcs7([intermediate.certificateDer])) } },
    { chain: [leaf, intermediate] },
  ],
  'two intermediates, one after the other': () => {
    const upper = root.intermediate({ commonName: 'Upper' });
    const lower = upper.intermediate({ commonName: 'Lower', issuerUrls: [urlOf('upper')] });
    const below = lower.issue({ domains, issuerUrls: [urlOf('lower')] });
    const answers = { lower: lower.certificateDer, upper: upper.certificateDer };
    return [
      { chain: [below], answers },
      { chain: [below, lower, upper], asked: ['lower', 'upper'] },
    ];
  },
  'nothing is missing': () => {
    const upper = root.intermediate({ issuerUrls: [urlOf('root')] });
    return [{ chain: [upper.issue({ domains, issuerUrls: [urlOf('i')] }), upper], answers: {} }, { asked: [] }];
  },
  'what is known is not asked for': () => [
    { chain: [leaf], known: [root, intermediate], answers: {} },
    { chain: [leaf, intermediate], asked: [] },
  ],
  'two intermediates that are known, one after the other': () => {
    const upper = root.intermediate({ commonName: 'Upper' });
    const lower = upper.intermediate({ commonName: 'Lower' });
    const below = lower.issue({ domains });
    return [
      { chain: [below], known: [root, upper, lower], answers: {} },
      { chain: [below, lower, upper], asked: [] },
    ];
  },
  'of several that signed, the one under a known root': () => {
    const key = makeTrialKey('ec-p256');
    const strange = stranger.intermediate({ key, commonName: 'Twin' });
    const twin = root.intermediate({ key, commonName: 'Twin' });
    const below = twin.issue({ domains, issuerUrls: [urlOf('twins')] });
    const answers = { twins: pkcs7([strange.certificateDer, twin.certificateDer]) };
    return [{ chain: [below], answers }, { chain: [below, twin] }];
  },
  'of nine with the name, the one whose key has the name that is looked for': () => {
    return [
      { chain: [leaf], answers: { i: pkcs7([...crowdOf(8), intermediate.certificateDer]) } },
      { chain: [leaf, intermediate] },
    ];
  },
  'of nine that name its key, eight are tried': () => [
    { chain: [leaf], answers: { i: pkcs7([...crowdOf(8, keyIdOf(intermediate)), intermediate.certificateDer]) } },
    { fault: 'issuer_of_another' },
  ],
  'a known authority whose key has another name is not its issuer': () => {
    const renamed = root.intermediate({ commonName: 'Renamed', keyId: Buffer.from('another') });
    const below = renamed.issue({ domains, issuerUrls: [urlOf('renamed')] });
    const answers = { renamed: renamed.certificateDer };
    return [
      { chain: [below], known: [root, renamed], answers },
      { fault: 'issuer_of_another', asked: ['renamed'] },
    ];
  },
  'an unknown root ends it, and is not added': () => {
    const upper = stranger.intermediate({ issuerUrls: [urlOf('root')] });
    const below = upper.issue({ domains, issuerUrls: [urlOf('upper')] });
    const answers = { upper: upper.certificateDer, root: stranger.certificateDer };
    return [
      { chain: [below], answers },
      { chain: [below, upper], root: stranger },
    ];
  },
  'only the unknown root above it is found': () => {
    const upper = stranger.intermediate({ issuerUrls: [urlOf('root')] });
    const chain = [upper.issue({ domains }), upper];
    return [
      { chain, answers: { root: stranger.certificateDer } },
      { chain, root: stranger },
    ];
  },
  'an unknown issuer without AIA ends it': () => {
    const upper = stranger.intermediate();
    const below = upper.issue({ domains, issuerUrls: [urlOf('upper')] });
    return [{ chain: [below], answers: { upper: upper.certificateDer } }, { chain: [below, upper] }];
  },
  'a second intermediate is missing, and nothing says where it is': () => {
    const lower = root.intermediate().intermediate({ commonName: 'Lower', issuersIssuer: 'Known Root' });
    const below = lower.issue({ domains, issuerUrls: [urlOf('lower')] });
    return [
      { chain: [below], answers: { lower: lower.certificateDer } },
      { chain: [below, lower], unfinished: 'issuer_without_url' },
    ];
  },
  'the next address is asked when the first fails': () => {
    const below = intermediate.issue({ domains, issuerUrls: [urlOf('dead'), urlOf('i')] });
    const answers: Answers = { dead: { kind: 'unreachable' }, i: intermediate.certificateDer };
    return [
      { chain: [below], answers },
      { chain: [below, intermediate], asked: ['dead', 'i'] },
    ];
  },
  'of two failures the first is told': () => {
    const below = intermediate.issue({ domains, issuerUrls: [urlOf('gone'), 'http://other.example/dead'] });
    const answers: Answers = { gone: { kind: 'status', status: 404 }, dead: { kind: 'unreachable' } };
    const says = /CN=Intermediate,O=Waxwing Trial was not fetched: authority\.example answered with status 404/;
    return [
      { chain: [below], answers },
      { fault: 'issuer_not_answered', says },
    ];
  },
  'a liar: the right name, another key': () => [
    { chain: [leaf], answers: { i: root.intermediate({ commonName: 'Intermediate' }).certificateDer } },
    { fault: 'issuer_of_another', says: /what authority\.example answers did not sign CN=www\.example\.com/ },
  ],
  'a liar: another name': () => [
    { chain: [leaf], answers: { i: stranger.certificateDer } },
    { fault: 'issuer_of_another' },
  ],
  'the certificate itself': () => [
    { chain: [leaf], answers: { i: leaf.certificateDer } },
    { fault: 'issuer_of_another' },
  ],
  'an issuer that has expired': () => {
    const expired = root.intermediate({ key: intermediate.key, commonName: 'Intermediate', notAfter: now - day });
    return [{ chain: [leaf], answers: { i: expired.certificateDer } }, { fault: 'issuer_unfit' }];
  },
  'an issuer with a weak key': () => {
    const weak = root.intermediate({ key: weakKey });
    const below = weak.issue({ domains, issuerUrls: [urlOf('weak')] });
    return [{ chain: [below], answers: { weak: weak.certificateDer } }, { fault: 'issuer_unfit' }];
  },
  'an issuer that is no authority': () => {
    const none = root.intermediate({ key: intermediate.key, commonName: 'Intermediate', basicConstraints: 'leaf' });
    return [{ chain: [leaf], answers: { i: none.certificateDer } }, { fault: 'issuer_unfit' }];
  },
  'an issuer that allows no authority below it': () => {
    const upper = root.intermediate({ pathLength: 0 });
    const lower = upper.intermediate({ issuerUrls: [urlOf('upper')] });
    return [
      { chain: [lower.issue({ domains }), lower], answers: { upper: upper.certificateDer } },
      { fault: 'issuer_unfit' },
    ];
  },
  'a circle': () => {
    const keys = [makeTrialKey('ec-p256'), makeTrialKey('ec-p256')] as const;
    const one = makeTrialCa({ now, commonName: 'One', key: keys[0] });
    const other = makeTrialCa({ now, commonName: 'Other', key: keys[1] });
    const oneByOther = other.intermediate({ key: keys[0], commonName: 'One', issuerUrls: [urlOf('other')] });
    const otherByOne = one.intermediate({ key: keys[1], commonName: 'Other', issuerUrls: [urlOf('one')] });
    const below = one.issue({ domains, issuerUrls: [urlOf('one')] });
    const answers = { one: oneByOther.certificateDer, other: otherByOne.certificateDer };
    return [
      { chain: [below], answers },
      { fault: 'issuers_in_circle', asked: ['one', 'other', 'one'] },
    ];
  },
  'sixteen levels': () => {
    const { below, above, answers } = tower(16);
    return [{ chain: [below], answers }, { chain: [below, ...above] }];
  },
  'seventeen levels': () => {
    const { below, answers } = tower(17);
    return [
      { chain: [below], answers },
      {
        fault: 'issuers_without_end',
        says: /after 16 certificates/,
        asked: Array.from({ length: 16 }, (_, n) => `${n + 1}`),
      },
    ];
  },
  'an answer that the port cut off as too large': () => [
    { chain: [leaf], answers: { i: { kind: 'too_large' } } },
    { fault: 'issuer_too_large', says: /larger than 1024 KiB/ },
  ],
  'a certificate that is too large to serve': () => {
    const huge = root.intermediate({ commonName: 'x'.repeat(260 * 1024) });
    const below = huge.issue({ domains, issuerUrls: [urlOf('huge')] });
    return [
      { chain: [below], answers: { huge: huge.certificateDer } },
      { fault: 'issuer_too_large', says: /larger than 256 KiB/ },
    ];
  },
  'a private address': () => [
    { chain: [leaf], answers: { i: { kind: 'blocked' } } },
    { fault: 'issuer_at_blocked_address', says: /authority\.example is not a public address/ },
  ],
  'nobody at the address': () => [
    { chain: [leaf], answers: { i: { kind: 'unreachable' } } },
    { fault: 'issuer_unreachable' },
  ],
  'a page instead of a certificate': () => [
    { chain: [leaf], answers: { i: '<!doctype html><title>Not found</title>' } },
    { fault: 'issuer_not_readable' },
  ],
  'an empty answer': () => [{ chain: [leaf], answers: { i: '' } }, { fault: 'issuer_not_readable' }],
  'AIA by ldap only': () => [
    { chain: [intermediate.issue({ domains, issuerUrls: ['ldap://authority.example/cn=a'] })], answers: {} },
    { fault: 'issuer_without_url', says: /does not say where/, asked: [] },
  ],
};

for (const [name, make] of Object.entries(cases)) {
  test(`a chain is completed: ${name}`, async () => {
    const [input, expected] = make();
    const { asked, outcome } = await complete(input);
    if (expected.asked !== undefined) assert.deepEqual(asked, expected.asked);
    if (expected.fault !== undefined) {
      assertFailed(outcome, expected.fault, expected.says);
    } else if (expected.chain !== undefined) {
      assert.ok(outcome.kind === 'completed', JSON.stringify(outcome));
      const { chain, added, root: givenRoot, unfinished } = outcome;
      assert.deepEqual(
        [chain, added, givenRoot, unfinished?.code],
        [
          pemOf(expected.chain),
          expected.chain.length - input.chain.length,
          expected.root?.certificatePem,
          expected.unfinished,
        ],
      );
      const stored = await judgeStored({ chain, givenRoot, known: knownOf(input.known ?? [root]), now });
      assert.equal(stored.isComplete, expected.unfinished === undefined, JSON.stringify(stored));
    } else {
      assert.deepEqual(outcome, { kind: 'complete' });
    }
  });
}

function assertFailed(outcome: ChainCompletion, code: CertificateFaultCode, says?: RegExp): void {
  assert.ok(outcome.kind === 'failed', JSON.stringify(outcome));
  assert.equal(outcome.fault.code, code);
  assert.doesNotMatch(outcome.fault.message, /\{\{|undefined/);
  if (says !== undefined) assert.match(outcome.fault.message, says);
}

test('each address has ten seconds and 1 MiB', async () => {
  const given: unknown[] = [];
  const outcome = await completeChain({
    chain: leaf.certificatePem,
    known: knownOf([root]),
    now,
    fetch: async (_url, { timeoutMs, maxBytes }) => {
      given.push([timeoutMs, maxBytes]);
      return { kind: 'timed_out' };
    },
  });
  assert.deepEqual(given, [[10_000, 1_048_576]]);
  assertFailed(outcome, 'issuer_not_in_time', /authority\.example did not answer in time/);
});

test('other work goes on between the candidates of an answer', async () => {
  const answer = pkcs7([...crowdOf(7, keyIdOf(intermediate)), intermediate.certificateDer]);
  let turns = 0;
  let isOver = false;
  const otherWork = () => {
    turns += 1;
    if (!isOver) setImmediate(otherWork);
  };
  setImmediate(otherWork);
  const { outcome } = await complete({ chain: [leaf], answers: { i: answer } });
  isOver = true;
  assert.equal(outcome.kind, 'completed');
  assert.ok(turns >= 8, `${turns} turns`);
});

test('when the caller has left, nothing further is asked', async () => {
  const { below, answers } = tower(3);
  const caller = new AbortController();
  const asked: string[] = [];
  const outcome = completeChain({
    chain: below.certificatePem,
    known: knownOf([root]),
    now,
    signal: caller.signal,
    fetch: async (url, { signal }) => {
      asked.push(url);
      if (asked.length === 2) caller.abort(new Error('the caller has left'));
      assert.equal(signal.aborted, asked.length === 2);
      return fetched(answers[url.slice(url.lastIndexOf('/') + 1)] ?? '');
    },
  });
  await assert.rejects(outcome, /the caller has left/);
  assert.equal(asked.length, 2);
});

test('a chain that ends at the root that was given is complete', async () => {
  const upper = stranger.intermediate({ issuerUrls: [urlOf('root')] });
  const chain = upper.issue({ domains }).chainPem;
  const fetch = () => assert.fail('it was asked for');
  const given = { chain, givenRoot: stranger.certificatePem, known: knownOf([]), now, fetch };
  assert.deepEqual(await completeChain(given), { kind: 'complete' });
});
