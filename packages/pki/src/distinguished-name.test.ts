import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDer } from './der/der.ts';
import { bmpString, element, integer, objectIdentifier, sequence, setOf, utf8String } from './der/der-writer.ts';
import { readName } from './distinguished-name.ts';

const attribute = (oid: string, value: Buffer) => sequence(objectIdentifier(oid), value);
const name = (...parts: Buffer[]) => readName(readDer(sequence(...parts.map((part) => setOf(part)))));
const commonName = (value: Buffer) => name(attribute('2.5.4.3', value));

test('a name is told as RFC 4514 has it, the last part first', () => {
  const country = attribute('2.5.4.6', element(0x13, Buffer.from('US')));
  const told = name(
    country,
    attribute('2.5.4.10', utf8String("Let's Encrypt")),
    attribute('2.5.4.3', utf8String('R11')),
  );
  assert.equal(told.text, "CN=R11,O=Let's Encrypt,C=US");
  assert.equal(readName(readDer(sequence())).text, '');
});

test('what would be taken for syntax, or disturb a terminal, is escaped', () => {
  assert.equal(commonName(utf8String('a,b=c+"d"\\')).text, 'CN=a\\,b=c\\+\\"d\\"\\\\');
  assert.equal(commonName(utf8String(' a ')).text, 'CN=\\ a\\ ');
  assert.equal(commonName(utf8String('a\nb\u001b[2J\u202e\u2028')).text, 'CN=a\\0ab\\1b[2J\\e2\\80\\ae\\e2\\80\\a8');
});

test('unknown attributes and values that are no text are told in hex', () => {
  assert.equal(name(attribute('1.2.3.4', utf8String('x'))).text, '1.2.3.4=#0c0178');
  assert.equal(commonName(integer(5)).text, 'CN=#020105');
});

test('names compare without letter case, spacing and string type, and no further', () => {
  const same = [utf8String('Trial  CA'), bmpString('trial ca'), element(0x13, Buffer.from(' TRIAL CA '))];
  for (const value of same) assert.equal(commonName(value).comparable, commonName(utf8String('trial ca')).comparable);
  assert.notEqual(commonName(utf8String('trialca')).comparable, commonName(utf8String('trial ca')).comparable);
  assert.notEqual(
    name(attribute('2.5.4.10', utf8String('trial ca'))).comparable,
    commonName(utf8String('trial ca')).comparable,
  );
});
