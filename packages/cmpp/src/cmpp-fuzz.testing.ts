import assert from 'node:assert/strict';
import { type FuzzOptions, type FuzzReport, fuzzProtocol } from '@waxwing/carrier-session/protocol-fuzz.testing.ts';
import fc from 'fast-check';
import { encodeCmpp } from './cmpp-codec.ts';
import { decodeText } from './cmpp-content.ts';
import type { CmppDeliver, CmppPdu } from './cmpp-pdu.ts';
import { cmpp2Protocol, cmpp3Protocol } from './cmpp-protocol.ts';
import { readUserData } from './cmpp-segments.ts';
import { cmppPdus, exampleDeliver, exampleSubmit } from './cmpp-values.testing.ts';
import { type CmppVersion, cmpp3 } from './cmpp-version.ts';
import { statMeaning } from './stat-meaning.ts';
import { isStatusReport, readStatusReport } from './status-report.ts';

const samples = 300;

/** See `fuzzProtocol`. Contents and status reports of what is read are tried as well. */
export function fuzzCmpp(version: CmppVersion, options: FuzzOptions): FuzzReport {
  const protocol = version.name === 'cmpp2' ? cmpp2Protocol : cmpp3Protocol;
  const seeds = [...fc.sample(cmppPdus(version), { numRuns: samples, seed: 34 }), exampleSubmit, exampleDeliver];
  const tryPdu = (pdu: CmppPdu) => {
    // A response read in the size of 3.0 can have a result that only 3.0 can write.
    const written = encodeCmpp(pdu, protocol.isResponse(pdu) ? cmpp3 : version);
    const again = protocol.decode(written);
    assert.ok(again.kind === 'pdu');
    if (pdu.command === 'deliver') tryDeliver(pdu);
  };
  return fuzzProtocol(
    protocol,
    seeds.map((pdu) => encodeCmpp(pdu, version)),
    tryPdu,
    options,
  );
}

function tryDeliver(pdu: CmppDeliver): void {
  const { octets, concatenation } = readUserData(pdu.content);
  assert.ok(octets.length <= pdu.content.length);
  if (concatenation !== undefined) {
    assert.ok(concatenation.number >= 1 && concatenation.number <= concatenation.total);
  }
  const text = decodeText(pdu.content, pdu.format);
  assert.ok(text === undefined || text.length <= pdu.content.length);
  const report = isStatusReport(pdu) ? readStatusReport(pdu.content) : undefined;
  if (report !== undefined) statMeaning(report.stat);
}
