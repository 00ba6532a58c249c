import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { CertificateFaultCode } from '@waxwing/contract/management-api/certificate-faults.ts';
import { judgeStored } from './judge-stored.ts';
import { createKnownAuthorities, type KnownAuthorities } from './known-authorities.ts';
import { seedTime as now, pkcs7 } from './material-seeds.testing.ts';
import { inOpensslFolder, withoutOpenssl } from './openssl.testing.ts';
import { type ImportFile, readImport } from './read-import.ts';
import { makeTrialCa, makeTrialKey, type TrialCertificate } from './trial-ca.testing.ts';

const day = 86_400_000;
const domains = ['www.example.com'];
const url = 'http://authority.example/issuer.crt';

const root = makeTrialCa({ now, commonName: 'Known Root' });
const stranger = makeTrialCa({ now, commonName: 'Strange Root' });
const intermediate = root.intermediate({ commonName: 'Intermediate' });
const leaf = intermediate.issue({ domains });
const rsa = {
  weak: makeTrialKey('rsa-1024'),
  careless: generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).privateKey,
};

interface Shape {
  /** In one file of PEM, in this order, with the key of the first one. */
  readonly given: readonly TrialCertificate[];
  /** Instead of that file. */
  readonly files?: readonly ImportFile[];
  readonly known?: readonly TrialCertificate[];
  /** The codes that refuse it. */
  readonly faults?: readonly CertificateFaultCode[];
  /** The remarks with which it is accepted, and the chain that is stored. */
  readonly warnings?: readonly CertificateFaultCode[];
  readonly chain?: readonly TrialCertificate[];
}

const pemFile = (name: string, ...texts: readonly string[]): ImportFile => ({
  name,
  bytes: Buffer.from(texts.join('')),
});

/** An authority with one key and two certificates, and a leaf under it. */
function twinsUnder(one: typeof root, other: typeof root) {
  const key = makeTrialKey('ec-p256');
  const first = one.intermediate({ key, commonName: 'Twin' });
  const second = other.intermediate({ key, commonName: 'Twin' });
  return { first, second, below: first.issue({ domains }) };
}

/** Two intermediates, one above the other, and a leaf under the lower one. */
function threeLevels() {
  const upper = root.intermediate({ commonName: 'Upper' });
  const lower = upper.intermediate({ commonName: 'Lower' });
  return { upper, lower, below: lower.issue({ domains }) };
}

const shapes: Record<string, () => Shape> = {
  'self-signed': () => {
    const self = root.selfSigned({ domains });
    return { given: [self], chain: [self] };
  },
  'leaf and its root': () => {
    const direct = stranger.issue({ domains });
    return { given: [direct, stranger], chain: [direct] };
  },
  'leaf alone under a known root': () => {
    const direct = root.issue({ domains, issuerUrls: [url] });
    return { given: [direct], known: [root], chain: [direct] };
  },
  'leaf alone under an unknown issuer, without AIA': () => {
    const direct = stranger.issue({ domains });
    return { given: [direct], known: [root], warnings: ['issuer_unknown'], chain: [direct] };
  },
  'leaf alone, with AIA': () => ({
    given: [intermediate.issue({ domains, issuerUrls: ['ldap://authority.example/cn=a', url] })],
    known: [root],
    faults: ['missing_intermediate'],
  }),
  'leaf alone, with AIA by ldap only': () => {
    const remote = intermediate.issue({ domains, issuerUrls: ['ldap://authority.example/cn=a', 'http:///'] });
    return { given: [remote], known: [root], warnings: ['issuer_unknown'], chain: [remote] };
  },
  'leaf alone, its key identifier naming a known root above its issuer': () => ({
    given: [intermediate.issue({ domains, issuersIssuer: 'Known Root' })],
    known: [root],
    faults: ['missing_intermediate'],
  }),
  'leaf alone, its key identifier naming its own issuer': () => {
    const direct = stranger.issue({ domains, issuersIssuer: 'Strange Root' });
    return { given: [direct], known: [root], warnings: ['issuer_unknown'], chain: [direct] };
  },
  'leaf alone under a known intermediate': () => ({
    given: [leaf],
    known: [root, intermediate],
    faults: ['missing_intermediate'],
  }),
  'leaf and an intermediate that is known without its root': () => ({
    given: [leaf, intermediate],
    known: [intermediate],
    chain: [leaf, intermediate],
  }),
  'leaf and the lower of two intermediates, all three authorities known': () => {
    const { upper, lower, below } = threeLevels();
    return { given: [below, lower], known: [root, upper, lower], faults: ['missing_intermediate'] };
  },
  'leaf and the lower of two known intermediates, the root unknown': () => {
    const { upper, lower, below } = threeLevels();
    return { given: [below, lower], known: [stranger, upper, lower], faults: ['missing_intermediate'] };
  },
  'leaf and both intermediates, all three authorities known': () => {
    const { upper, lower, below } = threeLevels();
    const chain = [below, lower, upper];
    return { given: chain, known: [root, upper, lower], chain };
  },
  'leaf and an intermediate that is known without its root, and names a URL for that': () => {
    const remote = root.intermediate({ issuerUrls: [url] });
    return { given: [remote.issue({ domains }), remote], known: [stranger, remote], faults: ['missing_intermediate'] };
  },
  'whole, root and all': () => ({ given: [leaf, intermediate, root], known: [root], chain: [leaf, intermediate] }),
  'whole, the known root left out': () => ({
    given: [leaf, intermediate],
    known: [stranger, root],
    chain: [leaf, intermediate],
  }),
  'whole, the root given but not known': () => ({ given: [leaf, intermediate, root], chain: [leaf, intermediate] }),
  'whole, the root neither given nor known': () => ({
    given: [leaf, intermediate],
    known: [stranger],
    warnings: ['issuer_unknown'],
    chain: [leaf, intermediate],
  }),
  'an intermediate with AIA below an unknown issuer': () => {
    const upper = stranger.intermediate({ issuerUrls: [url] });
    return { given: [upper.issue({ domains }), upper], known: [root], faults: ['missing_intermediate'] };
  },
  'cross-signed: one path to an expired root, one to a current one': () => {
    const old = makeTrialCa({ now, commonName: 'Old Root', notAfter: now - day });
    const { first, second, below } = twinsUnder(old, root);
    const known = [old, root];
    return { given: [below, first, second], known, warnings: ['not_in_chain'], chain: [below, second] };
  },
  'cross-signed: one path to an unknown root, one to a known one': () => {
    const { first, second, below } = twinsUnder(stranger, root);
    return { given: [below, first, second], known: [root], warnings: ['not_in_chain'], chain: [below, second] };
  },
  'a known root cross-signed by an older one, for older clients': () => {
    const crossed = stranger.intermediate({ key: root.key, commonName: 'Known Root', issuerUrls: [url] });
    const given = [leaf, intermediate, crossed];
    return { given, known: [root], chain: given };
  },
  'a known root cross-signed by an older one that is given too': () => {
    const crossed = stranger.intermediate({ key: root.key, commonName: 'Known Root' });
    const chain = [leaf, intermediate, crossed];
    return { given: [...chain, stranger], known: [root], chain };
  },
  'a known root cross-signed, by a certificate that has expired': () => {
    const crossed = stranger.intermediate({ key: root.key, commonName: 'Known Root', notAfter: now - day });
    return {
      given: [leaf, intermediate, crossed],
      known: [root],
      warnings: ['not_in_chain'],
      chain: [leaf, intermediate],
    };
  },
  'authorities that sign each other, known to nobody': () => {
    const keys = [makeTrialKey('ec-p256'), makeTrialKey('ec-p256')] as const;
    const one = makeTrialCa({ now, commonName: 'One', key: keys[0] });
    const other = makeTrialCa({ now, commonName: 'Other', key: keys[1] });
    const oneByOther = other.intermediate({ key: keys[0], commonName: 'One' });
    const otherByOne = one.intermediate({ key: keys[1], commonName: 'Other' });
    const given = [one.issue({ domains }), oneByOther, otherByOne];
    return { given, known: [root], warnings: ['issuer_unknown'], chain: given };
  },
  doubled: () => ({
    given: [leaf, intermediate, leaf, intermediate],
    known: [root],
    warnings: ['doubled'],
    chain: [leaf, intermediate],
  }),
  'doubled over several files': () => ({
    given: [leaf],
    files: [pemFile('leaf.pem', leaf.certificatePem, leaf.keyPem), pemFile('fullchain.pem', leaf.chainPem)],
    known: [root],
    warnings: ['doubled'],
    chain: [leaf, intermediate],
  }),
  'in the wrong order': () => ({
    given: [root, intermediate, leaf],
    files: [pemFile('all.pem', root.certificatePem, intermediate.certificatePem, leaf.certificatePem, leaf.keyPem)],
    known: [root],
    warnings: ['wrong_order'],
    chain: [leaf, intermediate],
  }),
  'in another order, in a form that has none': () => ({
    given: [leaf],
    files: [
      pemFile('key.pem', leaf.keyPem),
      { name: 'chain.p7b', bytes: pkcs7([root.certificateDer, intermediate.certificateDer, leaf.certificateDer]) },
    ],
    known: [root],
    chain: [leaf, intermediate],
  }),
  'in files of their own': () => ({
    given: [leaf],
    files: [root, intermediate, leaf].map((one, at) =>
      pemFile(`${at}.pem`, one.certificatePem, one === leaf ? leaf.keyPem : ''),
    ),
    known: [root],
    chain: [leaf, intermediate],
  }),
  'a certificate too many': () => ({
    given: [leaf, stranger, intermediate],
    known: [root],
    warnings: ['not_in_chain'],
    chain: [leaf, intermediate],
  }),
  'an expired intermediate': () => {
    const expired = root.intermediate({ notAfter: now - day });
    return { given: [expired.issue({ domains }), expired], known: [root], faults: ['expired'] };
  },
  'an intermediate that expires before the leaf': () => {
    const short = root.intermediate({ notAfter: now + day });
    const given = [short.issue({ domains }), short];
    return { given, known: [root], warnings: ['ends_before_leaf'], chain: given };
  },
  'an expired known root': () => {
    const old = makeTrialCa({ now, notAfter: now - day });
    const direct = old.issue({ domains, issuerUrls: [url] });
    return { given: [direct], known: [old], warnings: ['expired_root'], chain: [direct] };
  },
  'an expired root that was given': () => {
    const old = makeTrialCa({ now, notAfter: now - day });
    const direct = old.issue({ domains });
    return { given: [direct, old], warnings: ['expired_root'], chain: [direct] };
  },
  'a known root that was renewed with its key': () => {
    const old = makeTrialCa({ now, commonName: 'Known Root', key: root.key, notAfter: now - day });
    return { given: [leaf, intermediate], known: [old, root], chain: [leaf, intermediate] };
  },
  'a signature that does not verify': () => ({
    given: [intermediate.issue({ domains, spoiled: true }), intermediate],
    known: [root],
    faults: ['not_signed_by'],
  }),
  'an issuer of the right name with another key': () => {
    const twin = root.intermediate({ commonName: 'Intermediate' });
    return { given: [leaf, twin], known: [root], faults: ['not_signed_by'] };
  },
  'a certificate of the right name with another key, below a known root of that name': () => {
    const direct = root.issue({ domains });
    const twin = makeTrialCa({ now, commonName: 'Known Root' });
    return { given: [direct, twin], known: [root], warnings: ['not_in_chain'], chain: [direct] };
  },
  'a known root whose key has another name than the certificate below says': () => {
    const renamed = makeTrialCa({ now, commonName: 'Renamed Root', keyId: Buffer.from('another') });
    const direct = renamed.issue({ domains });
    return { given: [direct], known: [renamed], warnings: ['issuer_unknown'], chain: [direct] };
  },
  'a path longer than an intermediate allows': () => {
    const upper = root.intermediate({ pathLength: 0 });
    const lower = upper.intermediate();
    return { given: [lower.issue({ domains }), lower, upper], known: [root], faults: ['path_too_long'] };
  },
  'a path longer than the known root allows': () => {
    const narrow = makeTrialCa({ now, commonName: 'Narrow Root', pathLength: 0 });
    const lower = narrow.intermediate();
    return { given: [lower.issue({ domains }), lower], known: [narrow], faults: ['path_too_long'] };
  },
  'an issuer that is no authority': () => {
    const none = root.intermediate({ basicConstraints: 'leaf' });
    return { given: [none.issue({ domains }), none], known: [root], faults: ['no_authority'] };
  },
  'an issuer that may not sign': () => {
    // With the bit for lists of revoked certificates only.
    const idle = root.intermediate({ keyUsage: 0b0000_0010 });
    return { given: [idle.issue({ domains }), idle], known: [root], faults: ['no_authority'] };
  },
  'a leaf signed with SHA-1': () => ({
    given: [intermediate.issue({ domains, hash: 'sha1' }), intermediate],
    known: [root],
    faults: ['weak_signature'],
  }),
  'an intermediate signed with SHA-1': () => {
    const weak = root.intermediate({ hash: 'sha1' });
    return { given: [weak.issue({ domains }), weak], known: [root], faults: ['weak_signature'] };
  },
  'a known root signed with SHA-1': () => {
    const old = makeTrialCa({ now, commonName: 'Old Root', hash: 'sha1' });
    const direct = old.issue({ domains });
    return { given: [direct], known: [old], chain: [direct] };
  },
  'a weak RSA key': () => ({
    given: [intermediate.issue({ domains, key: rsa.weak }), intermediate],
    known: [root],
    faults: ['weak_key'],
  }),
  'an intermediate with a weak RSA key': () => {
    const weak = root.intermediate({ key: rsa.weak });
    return { given: [weak.issue({ domains }), weak], known: [root], faults: ['weak_key'] };
  },
  'an RSA key with exponent 3': () => {
    const given = [intermediate.issue({ domains, key: rsa.careless }), intermediate];
    return { given, known: [root], warnings: ['small_exponent'], chain: given };
  },
  'an intermediate with an RSA key with exponent 3': () => {
    const careless = root.intermediate({ key: rsa.careless });
    const given = [careless.issue({ domains }), careless];
    return { given, known: [root], warnings: ['small_exponent'], chain: given };
  },
  'no alternative name': () => ({
    given: [intermediate.issue({ domains: [] }), intermediate],
    known: [root],
    faults: ['no_names'],
  }),
};

const knownOf = (certificates: readonly TrialCertificate[] = []): KnownAuthorities =>
  createKnownAuthorities(() => certificates.map(({ certificatePem }) => certificatePem));

const inputOf = ({ given, files, known }: Shape) => ({
  files: files ?? [pemFile('all.pem', ...given.map((one) => one.certificatePem), given[0]?.keyPem ?? '')],
  known: knownOf(known),
  now,
});

function isSelfIssued({ certificateDer }: TrialCertificate): boolean {
  const { subject, issuer } = new X509Certificate(certificateDer);
  return subject === issuer;
}

/** Remarks that are made once, at the import: the chain was put right. */
const ofImport: readonly string[] = ['doubled', 'wrong_order', 'not_in_chain', 'idle_key'];

const codesOf = (faults: readonly { readonly code: string }[]) => faults.map(({ code }) => code).toSorted();

for (const [name, make] of Object.entries(shapes)) {
  test(`a chain is judged: ${name}`, async () => {
    const shape = make();
    const { faults, warnings = [], chain = [] } = shape;
    const input = inputOf(shape);
    const verdict = await readImport(input);
    if (faults !== undefined) {
      assert.ok('faults' in verdict, `it was accepted: ${JSON.stringify(verdict)}`);
      assert.deepEqual(codesOf(verdict.faults), [...faults].sort());
      const overridden = await readImport({ ...input, incompleteChain: true });
      if (!faults.includes('missing_intermediate')) {
        assert.deepEqual(overridden, verdict, 'only a missing intermediate can be overridden');
        return;
      }
      assert.ok('material' in overridden);
      assert.deepEqual(codesOf(overridden.warnings), ['missing_intermediate']);
      const stored = await judgeStored({ chain: overridden.material.chain, known: input.known, now });
      assert.deepEqual(stored, { remarks: overridden.warnings, isComplete: false });
      return;
    }
    assert.ok('material' in verdict, JSON.stringify(verdict));
    assert.deepEqual(codesOf(verdict.warnings), [...warnings].sort());
    const { material } = verdict;
    assert.equal(material.chain, chain.map(({ certificatePem }) => certificatePem).join(''));
    const { remarks, isComplete } = await judgeStored({ ...material, known: input.known, now });
    assert.ok(isComplete);
    assert.deepEqual(
      remarks,
      verdict.warnings.filter(({ code }) => !ofImport.includes(code)),
      'the same stays with what is stored',
    );
  });
}

test('OpenSSL trusts the chains that are accepted without a remark on their issuers, and no others', {
  skip: withoutOpenssl,
}, async () => {
  const distrusted: readonly string[] = ['missing_intermediate', 'issuer_unknown', 'expired_root'];
  // OpenSSL wants a root, even if an intermediate is among what it trusts.
  const differs = 'leaf and an intermediate that is known without its root';
  await inOpensslFolder(async ({ path, run }) => {
    for (const [name, make] of Object.entries(shapes)) {
      const shape = make();
      const verdict = await readImport({ ...inputOf(shape), incompleteChain: true });
      if (!('material' in verdict) || name === differs) continue;
      const { chain, givenRoot = '', selfSigned } = verdict.material;
      const roots = (shape.known ?? []).filter(isSelfIssued).map((one) => one.certificatePem);
      writeFileSync(path('chain.pem'), chain);
      writeFileSync(path('roots.pem'), [...roots, givenRoot, selfSigned ? chain : ''].join(''));
      const trusted = ['-no-CApath', '-no-CAstore', '-CAfile', 'roots.pem', '-untrusted', 'chain.pem'];
      const verify = () => run('verify', '-attime', `${now / 1000}`, ...trusted, 'chain.pem');
      const isTrusted = !verdict.warnings.some(({ code }) => distrusted.includes(code));
      if (isTrusted) assert.doesNotThrow(verify, name);
      else assert.throws(verify, /verification failed/, name);
    }
  });
});

test('the refusal of a chain without its issuer names every way out', async () => {
  const given = [intermediate.issue({ domains, issuerUrls: [url] })];
  const verdict = await readImport(inputOf({ given }));
  assert.ok('faults' in verdict);
  const message = verdict.faults[0]?.message ?? '';
  const wishes = ['--complete-chain', '`complete_chain`', '--incomplete-chain', '`incomplete_chain`'];
  for (const way of ['intermediate or root', ...wishes, 'WAXWING_EXTRA_ROOTS']) assert.ok(message.includes(way), way);
});

test('what is stored is judged anew as time passes and roots become known', async () => {
  const short = stranger.intermediate({ notAfter: now + day });
  const chain = short.issue({ domains }).chainPem;
  const remarksOf = async (known: KnownAuthorities, at: number) =>
    (await judgeStored({ chain, known, now: at })).remarks.map(({ code }) => code);
  assert.deepEqual(await remarksOf(knownOf(), now), ['ends_before_leaf', 'issuer_unknown']);
  assert.deepEqual(await remarksOf(knownOf([stranger]), now), ['ends_before_leaf']);
  assert.deepEqual(await remarksOf(knownOf([stranger]), now + 2 * day), ['expired']);
});

test('a root that was given keeps the stored chain free of remarks, and one that did not sign it changes nothing', async () => {
  const chain = leaf.chainPem;
  const remarks = async (givenRoot: string) => (await judgeStored({ chain, givenRoot, known: knownOf(), now })).remarks;
  assert.deepEqual(await remarks(root.certificatePem), []);
  assert.deepEqual(
    (await remarks(stranger.certificatePem)).map(({ code }) => code),
    ['issuer_unknown'],
  );
});

test('a stored chain is judged in the order in which it is served', async () => {
  const crossed = stranger.intermediate({ key: root.key, commonName: 'Known Root', notAfter: now + day });
  const chain = [leaf, intermediate, crossed].map(({ certificatePem }) => certificatePem).join('');
  const { remarks } = await judgeStored({ chain, known: knownOf([root]), now: now + 2 * day });
  assert.deepEqual(codesOf(remarks), ['expired'], 'it is still sent to every client');
});
