import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import {
  connectTimestamp,
  gatewayAuthenticator,
  isGatewayAuthentic,
  isSourceAuthentic,
  sourceAuthenticator,
} from './cmpp-authenticator.ts';
import type { CmppConnect, CmppConnectResponse } from './cmpp-pdu.ts';
import { cmpp2, cmpp3 } from './cmpp-version.ts';

const secret = Buffer.from('888888');
const named = { sourceAddress: '900001', timestamp: 102_080_510 };
const source = sourceAuthenticator(named, secret);
const connect: CmppConnect = { command: 'connect', sequence: 1, version: 0x20, ...named, authenticator: source };

/** MD5 by a program that shares no code with ours. */
function opensslMd5(...parts: readonly (string | Uint8Array)[]): Buffer {
  const input = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { status, stdout, stderr } = spawnSync('openssl', ['dgst', '-md5', '-binary'], { input });
  assert.equal(status, 0, stderr.toString());
  return stdout;
}

test('the authenticator of a provider is that of OpenSSL', () => {
  // A timestamp before October has a zero in front, which its number lacks.
  assert.deepEqual(source, opensslMd5('900001', new Uint8Array(9), '888888', '0102080510'));
});

test('the authenticator of a gateway is that of OpenSSL, over a status of one octet or four', () => {
  const [one, four] = [gatewayAuthenticator(3, source, secret, cmpp2), gatewayAuthenticator(3, source, secret, cmpp3)];
  assert.deepEqual(one, opensslMd5(Uint8Array.of(3), source, '888888'));
  assert.deepEqual(four, opensslMd5(Uint8Array.of(0, 0, 0, 3), source, '888888'));
});

test('a provider is known by its secret, address and time', () => {
  assert.ok(isSourceAuthentic(connect, secret));
  assert.ok(!isSourceAuthentic(connect, Buffer.from('888889')));
  assert.ok(!isSourceAuthentic({ ...connect, timestamp: 102_080_511 }, secret));
  assert.ok(!isSourceAuthentic({ ...connect, sourceAddress: '900002' }, secret));
  assert.ok(!isSourceAuthentic({ ...connect, authenticator: new Uint8Array(0) }, secret));
});

test('a gateway is known by its secret, and cannot change its status unseen', () => {
  const response: CmppConnectResponse = {
    command: 'connect_resp',
    sequence: 1,
    status: 0,
    authenticator: gatewayAuthenticator(0, source, secret, cmpp3),
    version: 0x30,
  };
  assert.ok(isGatewayAuthentic(response, source, secret, cmpp3));
  assert.ok(!isGatewayAuthentic(response, source, secret, cmpp2));
  assert.ok(!isGatewayAuthentic({ ...response, status: 1 }, source, secret, cmpp3));
  assert.ok(!isGatewayAuthentic({ ...response, status: 256 }, source, secret, cmpp2));
  assert.ok(!isGatewayAuthentic(response, source, Buffer.from('888889'), cmpp3));
  assert.ok(!isGatewayAuthentic({ ...response, authenticator: new Uint8Array(16) }, source, secret, cmpp3));
});

test('a timestamp is the time in China', () => {
  assert.equal(connectTimestamp(Date.UTC(2025, 11, 31, 16, 0, 5)), 101_000_005);
  assert.equal(connectTimestamp(Date.UTC(2026, 10, 26, 11, 22, 33)), 1_126_192_233);
});
