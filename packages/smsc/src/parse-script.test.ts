import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseScript } from './parse-script.ts';
import { dateDigits, messageIdStyles, plainScript, receiptForms, replyLongs, segmentOrders } from './smsc-script.ts';
import { scriptOf } from './trial-smsc.testing.ts';

function faultsOf(script: unknown, protocol: 'smpp' | 'cmpp2' | 'cmpp3' = 'smpp'): readonly string[] {
  const text = typeof script === 'string' ? script : JSON.stringify(script);
  return (parseScript(text, protocol).faults ?? []).map(({ field, message }) => `${field} ${message}`);
}

test('an empty script is the plain one', () => {
  assert.deepEqual(scriptOf('smpp', {}), plainScript);
  assert.deepEqual(scriptOf('cmpp3', {}), plainScript);
});

test('a rule has what it says, and else what the script does otherwise', () => {
  const script = scriptOf('smpp', {
    receipt_form: 'tlv',
    otherwise: { answer_after: '1s-2s', receipts: [{ state: 'EXPIRED', after: '5m' }] },
    rules: [{ prefix: '+86', share: 0.5, answer: 'refuse', code: '0x45' }, { receipts: [{ form: 'text', dates: 14 }] }],
  });
  const [first, second] = script.rules;
  assert.deepEqual([first?.prefix, first?.share, second?.prefix, second?.share], ['86', 0.5, '', 1]);
  assert.deepEqual(first?.behaviour.answer, { kind: 'refuse', code: 0x45, isThrottling: false });
  assert.deepEqual(first?.behaviour.receipts, script.otherwise.receipts);
  assert.deepEqual(second?.behaviour.answerAfter, { least: 1000, most: 2000 });
  assert.deepEqual(
    second?.behaviour.receipts.map(({ form, dateDigits: digits, state }) => [form, digits, state]),
    [['text', 14, 'DELIVRD']],
  );
  const [inherited] = script.otherwise.receipts;
  assert.deepEqual([inherited?.form, inherited?.after.least], ['tlv', 300_000]);
});

test('throttling has the code of the protocol, or that of the script', () => {
  const codeOf = (protocol: 'smpp' | 'cmpp2', rule: object) => {
    const answer = scriptOf(protocol, { otherwise: { answer: 'throttle', ...rule } }).otherwise.answer;
    return answer.kind === 'refuse' && answer.isThrottling ? answer.code : undefined;
  };
  assert.equal(codeOf('smpp', {}), 0x58);
  assert.equal(codeOf('smpp', { code: '0x14' }), 0x14);
  assert.equal(codeOf('cmpp2', {}), 8);
});

const faulty: readonly [unknown, readonly string[]][] = [
  [[], [' must be a JSON object.']],
  [null, [' must be a JSON object.']],
  [{ rate: 0 }, ['rate must be a whole number from 1 to 1000000.']],
  [
    { message_ids: 'hexadecimal' },
    [`message_ids must be one of: ${messageIdStyles.map((each) => `"${each}"`).join(', ')}.`],
  ],
  [{ rules: {} }, ['rules must be a list.']],
  [
    { rules: [{ prefix: 86 }, { share: 2 }] },
    ['rules[0].prefix must be digits, with or without +.', 'rules[1].share must be a number from 0 to 1.'],
  ],
  [{ otherwise: { answer: 'refuse' } }, ['otherwise.code is missing: the answer "refuse" needs it.']],
  [{ otherwise: { code: 8 } }, ['otherwise.code goes with the answers "refuse" and "throttle" alone.']],
  [
    { otherwise: { answer_after: '5s-1s' } },
    ['otherwise.answer_after must be a time such as "200ms", or "1s-5s" for one in between; at most "168h".'],
  ],
  [
    { otherwise: { receipts: [{ before_answer: true, after: '1s' }] } },
    ['otherwise.receipts[0].after does not go with before_answer.'],
  ],
  [{ otherwise: { replies: [{}] } }, ['otherwise.replies[0].text is missing.']],
  [{ tls: { key: '' } }, ['tls.key must be the path of a PEM file.', 'tls.certificate is missing.']],
  [
    { otherwise: { replies: [{ txt: 'x', text: 'y' }] } },
    ['otherwise.replies[0].txt is no field here. There are: after, long, order, text.'],
  ],
];

for (const [script, faults] of faulty) {
  test(`of ${JSON.stringify(script)} every fault is told with its field`, () => {
    assert.deepEqual(faultsOf(script), faults);
  });
}

test('what only SMPP has is refused for CMPP, which may have any Stat', () => {
  assert.deepEqual(faultsOf({ message_ids: 'hex', receipt_dates: 12 }, 'cmpp3'), [
    'receipt_dates is for smpp alone.',
    'message_ids is for smpp alone.',
  ]);
  const reply = { otherwise: { replies: [{ text: 'x', long: 'sar' }] } };
  assert.deepEqual(faultsOf(reply, 'cmpp2'), [
    'otherwise.replies[0].long must be "udh8", unless the protocol is smpp.',
  ]);
  const stat = { otherwise: { receipts: [{ state: 'MA:0001' }] } };
  assert.deepEqual(faultsOf(stat, 'cmpp2'), []);
  assert.equal(faultsOf(stat, 'smpp').length, 1);
  assert.equal(faultsOf({ otherwise: { answer: 'refuse', code: 256 } }, 'cmpp2').length, 1);
});

test('a text that is no JSON is refused', () => {
  assert.match(faultsOf('{ "rate": ')[0] ?? '', /^ is no JSON: /);
});

test('whatever a script is, it is a script or has faults', () => {
  const names = ['rules', 'otherwise', 'tls', 'receipts', 'replies', 'answer', 'code', 'rate', 'answer_after', 'state'];
  const words = [...messageIdStyles, ...receiptForms, ...dateDigits, ...replyLongs, ...segmentOrders, '1s', '0x1'];
  const leaf = fc.oneof(fc.constantFrom<unknown>(...words), fc.constantFrom<unknown>(null, -1, 1e300, 0.5, true, ''));
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names, '__proto__', 'constructor'), tie('tree'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(tree, fc.constantFrom('smpp' as const, 'cmpp2' as const), (script, protocol) => {
      const parsed = parseScript(JSON.stringify(script), protocol);
      assert.ok((parsed.script === undefined) !== (parsed.faults === undefined));
      assert.notEqual(parsed.faults?.length, 0);
    }),
  );
});
