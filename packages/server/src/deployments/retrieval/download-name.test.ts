import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contentDisposition, downloadName } from './download-name.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_260_107 };
/** Any code point, lone surrogates included. */
const character = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));

test('the first domain names the file', () => {
  const names = {
    'example.com': 'example.com',
    '*.example.com': '_.example.com',
    'Example.COM': 'Example.COM',
    'xn--fsqu00a.example': 'xn--fsqu00a.example',
    '例子.example': 'xn--fsqu00a.example',
    '*.例子.example': '_.xn--fsqu00a.example',
    'bücher。example': 'xn--bcher-kva.example',
    '192.0.2.1': '192.0.2.1',
    '1.2.3': '1.2.3',
    '2001:db8::1': '2001_db8__1',
    'a*.b*': 'a_.b_',
    '../../etc/passwd': '.._.._etc_passwd',
    'a"b\r\nc;d é\\': 'a_b__c_d___',
  };
  for (const [domain, name] of Object.entries(names)) {
    assert.equal(downloadName([domain, 'other.example']), name, domain);
  }
  assert.equal(downloadName([]), 'certificate');
});

test('the header is an attachment of that name and kind', () => {
  assert.equal(contentDisposition('_.example.com', 'key'), 'attachment; filename="_.example.com.key"');
  assert.equal(contentDisposition('example.com', 'certificate'), 'attachment; filename="example.com.crt"');
});

test('no domain can bring forth anything but a plain file name', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: character })), (domains) => {
      assert.match(downloadName(domains), /^[A-Za-z0-9._-]*$/);
    }),
    runs,
  );
});
