import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noticeSubject, noticeText } from './notice-text.ts';
import { noticeOf } from './posted-request.testing.ts';

const always = () => true;

test('one notice is told with its place and time', () => {
  assert.equal(
    noticeText([noticeOf()], always).text,
    [
      'Waxwing',
      '',
      'The certificate shop.example.com ends in 7 days.',
      'It was not renewed. It ends on 2026-01-09.',
      'Organization Acme, 2026-01-02T03:04:05Z',
    ].join('\n'),
  );
  assert.match(
    noticeText([noticeOf({ organization: null, detail: '' })], always).text,
    /7 days\.\nThis instance, 2026-/,
  );
});

test('the subject goes by the number of notices', () => {
  const notice = noticeOf({ subject: 'The disk is nearly full.' });
  assert.equal(noticeSubject([notice]), '[Waxwing] The disk is nearly full.');
  assert.equal(noticeSubject([notice, noticeOf()]), '[Waxwing] The disk is nearly full. (and 1 more)');
});

test('as many notices are told as fit, and the number of the others', () => {
  const notices = Array.from({ length: 5 }, (_, index) => noticeOf({ subject: `Notice ${index + 1}.`, detail: '' }));
  const whole = noticeText(notices, always).text;
  assert.match(whole, /^Waxwing: 5 notices\n\nNotice 1\.\n[\s\S]*\n\nNotice 5\.\nOrganization Acme, [^\n]*$/);
  const cut = noticeText(notices, (text) => text.length < whole.length);
  assert.equal(cut.count, 4);
  assert.match(cut.text, /Notice 4\.\n[^\n]*\n\nand 1 more$/);
  assert.match(noticeText(notices, (text) => text.length <= 120).text, /Notice 1\.\n[^\n]*\n\nand 4 more$/);
});

test('a text of any notices fits, is cut between characters, and leaves nothing out in silence', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '"', 'é', '界', '🎉'), minLength: 1, maxLength: 60 });
  const notices = fc.array(fc.record({ subject: text, detail: text }).map(noticeOf), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(notices, fc.integer({ min: 100, max: 1000 }), (all, limit) => {
      const { text: written } = noticeText(all, (candidate) => Buffer.byteLength(candidate) <= limit);
      assert.ok(Buffer.byteLength(written) <= limit);
      assert.ok(written.isWellFormed());
      const more = Number(/\n\nand (\d+) more$/.exec(written)?.[1] ?? 0);
      for (const { subject } of all.slice(0, Math.max(1, all.length - more)).slice(1)) {
        assert.ok(written.includes(subject));
      }
    }),
    { numRuns: 100, seed: 20_261_125 },
  );
});

test('a digest of very many notices is tried at few lengths', () => {
  const notices = Array.from({ length: 20_000 }, () => noticeOf());
  let tried = 0;
  const { text } = noticeText(notices, (candidate) => {
    tried++;
    return Buffer.byteLength(candidate) <= 2048;
  });
  assert.match(text, /and 199\d\d more$/);
  assert.ok(tried < 20, `${tried}`);
});
