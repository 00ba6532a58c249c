/** Tries a protocol of carriers with PDUs that were changed at random. The same seed gives the same PDUs. */
import assert from 'node:assert/strict';
import type { SessionPdu, SessionProtocol } from './session-protocol.ts';

export interface FuzzOptions {
  readonly count: number;
  readonly seed: number;
}

export interface FuzzReport {
  /** How many of the mutations were read as PDUs. */
  readonly pdus: number;
  readonly malformed: number;
}

/** At least 0 and less than `below`. */
type Random = (below: number) => number;
type Mutation = (octets: Buffer, random: Random, donor: Uint8Array) => Buffer;

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

/** Lengths and counts at their edges. */
const interestingOctets = [0, 1, 2, 3, 4, 6, 7, 8, 9, 16, 17, 20, 21, 65, 127, 128, 140, 159, 160, 254, 255];

const mutations: readonly Mutation[] = [
  function flipBits(octets, random) {
    for (let count = random(4); count >= 0; count--) {
      const at = random(octets.length);
      octets[at] = (octets[at] ?? 0) ^ (1 << random(8));
    }
    return octets;
  },
  function setOctet(octets, random) {
    octets[random(octets.length)] = interestingOctets[random(interestingOctets.length)] ?? 0;
    return octets;
  },
  function setUint16(octets, random) {
    if (octets.length > 2)
      octets.writeUInt16BE(random(2) === 0 ? random(0x1_0000) : random(300), random(octets.length - 1));
    return octets;
  },
  function removeNul(octets, random) {
    const at = octets.indexOf(0, random(octets.length));
    if (at >= 0) octets[at] = 1 + random(255);
    return octets;
  },
  function truncate(octets, random) {
    return octets.subarray(0, random(octets.length));
  },
  function removeRange(octets, random) {
    const [start, end] = range(octets, random);
    return Buffer.concat([octets.subarray(0, start), octets.subarray(end)]);
  },
  function repeatRange(octets, random) {
    const [start, end] = range(octets, random);
    return Buffer.concat([octets.subarray(0, end), octets.subarray(start)]);
  },
  function splice(octets, random, donor) {
    const [start, end] = range(donor, random);
    const at = random(octets.length);
    return Buffer.concat([octets.subarray(0, at), donor.subarray(start, end), octets.subarray(at)]);
  },
  function overwrite(octets, random, donor) {
    const [start, end] = range(donor, random);
    const at = random(octets.length);
    octets.set(donor.subarray(start, Math.min(end, start + octets.length - at)), at);
    return octets;
  },
  /** The head of one PDU before the body of another. */
  function changeHead(octets, _random, donor) {
    octets.set(donor.subarray(0, Math.min(12, octets.length)));
    return octets;
  },
];

function range(octets: Uint8Array, random: Random): readonly [start: number, end: number] {
  const start = random(octets.length);
  return [start, Math.min(octets.length, start + 1 + random(random(2) === 0 ? 8 : 200))];
}

function mutate(seeds: readonly Uint8Array[], random: Random): Buffer {
  const pick = () => seeds[random(seeds.length)] ?? new Uint8Array(4);
  let octets: Buffer = Buffer.from(pick());
  for (let count = random(3); count >= 0; count--) {
    const mutation = mutations[random(mutations.length)];
    if (mutation !== undefined && octets.length > 0) octets = mutation(octets, random, pick());
  }
  // The length is right in a session, and most mutations are to be looked at behind it.
  if (octets.length >= 4 && random(16) > 0) octets.writeUInt32BE(octets.length, 0);
  return octets;
}

/**
 * Decoding any octets must end in a PDU or in a fault whose answer can be written.
 * @param protocol one whose PDUs begin with their length in 4 octets
 * @param seeds well-formed PDUs to start from
 * @param use what else is done with a PDU that was read; throws if the PDU is not as it should be
 * @throws Error that names the run and the octets, as soon as something is wrong
 */
export function fuzzProtocol<P extends SessionPdu>(
  protocol: SessionProtocol<P>,
  seeds: readonly Uint8Array[],
  use: (pdu: P, octets: Uint8Array) => void,
  { count, seed }: FuzzOptions,
): FuzzReport {
  const random = seededRandom(seed);
  let pdus = 0;
  for (let run = 0; run < count; run++) {
    const octets = mutate(seeds, random);
    try {
      if (tryOctets(protocol, octets, use)) pdus += 1;
    } catch (error) {
      throw new Error(`run ${run} of seed ${seed}: ${octets.toString('hex')}`, { cause: error });
    }
  }
  return { pdus, malformed: count - pdus };
}

/** @returns whether they are a PDU */
function tryOctets<P extends SessionPdu>(
  protocol: SessionProtocol<P>,
  octets: Uint8Array,
  use: (pdu: P, octets: Uint8Array) => void,
): boolean {
  if (octets.length >= protocol.headLength) tryHead(protocol, octets.subarray(0, protocol.headLength));
  const decoded = protocol.decode(octets);
  if (decoded.kind === 'malformed') {
    assert.ok(decoded.reason.endsWith('.'));
    if (decoded.isResponse) assert.equal(decoded.answer, undefined);
    if (decoded.answer !== undefined) requireWritable(protocol, decoded.answer);
    return false;
  }
  const { pdu } = decoded;
  const answer = protocol.ownAnswer(pdu);
  if (answer !== undefined) {
    requireWritable(protocol, answer);
    assert.ok(protocol.canAnswer(answer, pdu));
  }
  use(pdu, octets);
  return true;
}

function tryHead<P extends SessionPdu>(protocol: SessionProtocol<P>, head: Uint8Array): void {
  const length = protocol.claimedLength(head);
  assert.ok(Number.isInteger(length) && length >= 0 && length < 2 ** 32);
  const fault = protocol.lengthFault(head);
  if (fault !== undefined) requireWritable(protocol, fault);
}

function requireWritable<P extends SessionPdu>(protocol: SessionProtocol<P>, answer: P): void {
  assert.ok(protocol.isResponse(answer));
  const octets = protocol.encode(answer);
  assert.equal(protocol.claimedLength(octets.subarray(0, protocol.headLength)), octets.length);
  assert.equal(protocol.decode(octets).kind, 'pdu');
}
