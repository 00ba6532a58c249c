import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { before, test } from 'node:test';
import { certificateFaults } from '@waxwing/contract/management-api/certificate-faults.ts';
import { readPem, writePem } from './der/pem.ts';
import { type MaterialSeed, materialSeeds, seedTime } from './material-seeds.testing.ts';
import { privateKeyPem } from './parse-material.ts';
import { type CertificateMaterial, type ImportFile, readImport } from './read-import.ts';

const runs = process.env.WAXWING_TEST_SCALE === 'full' ? 100_000 : 5_000;
const randomSeed = 20260115;
/** The budget allows hostile iteration counts a few seconds. Longer means a missing bound. */
const longestMs = 10_000;

let seeds: MaterialSeed[] = [];
before(async () => {
  seeds = await materialSeeds();
});

type Random = (below: number) => number;

/** mulberry32: small, fast, and the same sequence everywhere. */
function seededRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Mutation = (bytes: Buffer, random: Random, donor: Buffer) => Buffer;

const interestingOctets = [
  0x00, 0x01, 0x02, 0x03, 0x04, 0x06, 0x30, 0x31, 0x7f, 0x80, 0x81, 0x82, 0x84, 0x9f, 0xa0, 0xa3, 0xff,
];

const mutations: readonly Mutation[] = [
  function flipBits(bytes, random) {
    const mutated = Buffer.from(bytes);
    for (let count = random(4); count >= 0; count--) {
      const at = random(bytes.length);
      mutated[at] = (mutated[at] ?? 0) ^ (1 << random(8));
    }
    return mutated;
  },
  function setOctet(bytes, random) {
    const mutated = Buffer.from(bytes);
    mutated[random(bytes.length)] = interestingOctets[random(interestingOctets.length)] ?? 0;
    return mutated;
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random(bytes.length));
  },
  function editLength(bytes, random) {
    const lengths = lengthOffsets(bytes);
    const mutated = Buffer.from(bytes);
    const at = lengths[random(lengths.length)] ?? 0;
    mutated[at] = random(2) === 0 ? random(256) : (mutated[at] ?? 0) + random(5) - 2;
    return mutated;
  },
  function removeRange(bytes, random) {
    const { start, end } = range(bytes, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  function duplicateRange(bytes, random) {
    const { start, end } = range(bytes, random);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  function splice(bytes, random, donor) {
    const { start, end } = range(donor, random);
    const at = random(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), donor.subarray(start, end), bytes.subarray(at)]);
  },
  function overwrite(bytes, random, donor) {
    const { start, end } = range(donor, random);
    const mutated = Buffer.from(bytes);
    donor.subarray(start, end).copy(mutated, random(bytes.length));
    return mutated;
  },
];

function range(bytes: Buffer, random: Random): { start: number; end: number } {
  const start = random(bytes.length);
  return { start, end: Math.min(bytes.length, start + 1 + random(random(2) === 0 ? 8 : 400)) };
}

/** Probable lengths: the second octet of everything that looks like a common element. */
function lengthOffsets(bytes: Buffer): number[] {
  const looksLikeTag = new Set([0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x17, 0x30, 0x31, 0xa0, 0xa3]);
  return [...bytes.keys()].filter((at) => looksLikeTag.has(bytes[at - 1] ?? 0));
}

/** Mutates PEM text, or the content of one of its blocks. */
function mutateFile(file: ImportFile, mutation: Mutation, random: Random, donor: Buffer): ImportFile {
  const bytes = Buffer.from(file.bytes);
  const { blocks } = readPem(bytes.toString('latin1'));
  const chosen = blocks[random(Math.max(1, blocks.length))];
  if (chosen === undefined || random(4) === 0) return { ...file, bytes: mutation(bytes, random, donor) };
  const text = blocks.map((block) =>
    writePem(block.label, block === chosen ? mutation(block.bytes, random, donor) : block.bytes),
  );
  if (random(8) === 0) text.push(text[random(text.length)] ?? '');
  return { ...file, bytes: Buffer.from(text.join('')) };
}

function mutateSeed(random: Random): { seed: MaterialSeed; files: readonly ImportFile[]; how: string } {
  const seed = seeds[random(seeds.length)] as MaterialSeed;
  const donorFiles = (seeds[random(seeds.length)] as MaterialSeed).files;
  const donor = Buffer.from((donorFiles[random(donorFiles.length)] as ImportFile).bytes);
  const mutation = mutations[random(mutations.length)] as Mutation;
  const target = random(seed.files.length);
  const files = seed.files.map((file, index) => (index === target ? mutateFile(file, mutation, random, donor) : file));
  return { seed, files, how: `${mutation.name} on ${seed.name}` };
}

/** Everything that a web server relies on, by Node's own readers. */
function assertConsistent(material: CertificateMaterial, where: string): void {
  const blocks = readPem(material.chain).blocks;
  const chain = blocks.map((block) => new X509Certificate(block.bytes));
  const key = privateKeyPem(material.privateKey);
  assert.ok(chain[0]?.checkPrivateKey(createPrivateKey(key)), `${where}: the key does not match the leaf`);
  for (const text of [material.chain, key]) {
    assert.match(text, /^-----BEGIN [A-Z0-9 ]+-----\n[^\r]*-----END [A-Z0-9 ]+-----\n$/);
  }
  assert.equal(material.chain, blocks.map((block) => writePem('CERTIFICATE', block.bytes)).join(''));
  for (const [index, certificate] of chain.slice(1).entries()) {
    assert.ok(certificate.ca, `${where}: an issuer is no CA`);
    assert.ok(chain[index]?.verify(certificate.publicKey), `${where}: a link does not verify`);
  }
  assert.ok(material.domains.length > 0);
  assert.ok(material.notBefore <= seedTime && seedTime <= material.notAfter);
}

test('every seed is accepted as it stands', async () => {
  for (const seed of seeds) {
    const verdict = await readImport({ ...seed, now: seedTime });
    assert.ok('material' in verdict, `${seed.name}: ${JSON.stringify(verdict)}`);
    assertConsistent(verdict.material, seed.name);
  }
});

test(`${runs} mutated inputs end in faults or in material that holds together (seed ${randomSeed})`, async (t) => {
  const random = seededRandom(randomSeed);
  const count = { accepted: 0, refused: 0 };
  let slowest = { ms: 0, how: '' };
  for (let run = 0; run < runs; run++) {
    const { seed, files, how } = mutateSeed(random);
    const where = `run ${run}: ${how}`;
    const started = performance.now();
    const verdict = await readImport({ ...seed, files, now: seedTime }).catch((error: unknown) => {
      throw new Error(`${where} threw`, { cause: error });
    });
    const ms = performance.now() - started;
    if (ms > slowest.ms) slowest = { ms, how: where };
    if ('material' in verdict) {
      count.accepted += 1;
      assertConsistent(verdict.material, where);
    } else {
      count.refused += 1;
      assert.ok(verdict.faults.length > 0, `${where}: refused without a fault`);
      for (const fault of verdict.faults) {
        assert.ok(fault.field !== '' && fault.message.endsWith('.'), JSON.stringify(fault));
        assert.ok((fault.code ?? '') in certificateFaults, `${where}: no code in ${JSON.stringify(fault)}`);
        assert.doesNotMatch(fault.message, /\{\{|undefined/, `${where}: ${fault.code} is not filled`);
      }
    }
  }
  t.diagnostic(
    `${count.accepted} accepted, ${count.refused} refused; slowest ${slowest.ms.toFixed(0)} ms (${slowest.how})`,
  );
  assert.ok(slowest.ms < longestMs, `${slowest.how} took ${slowest.ms} ms`);
  assert.ok(
    count.accepted > 0 && count.refused > count.accepted,
    'the mutations are too weak or too strong to show anything',
  );
});
