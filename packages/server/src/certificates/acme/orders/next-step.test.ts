import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decision, nextStep, type OrderState, type StepAnswer } from './next-step.ts';

const now = 1_000_000_000;
const hour = 3_600_000;
const order = (state: Partial<OrderState>): OrderState => ({
  ...{
    step: 'register',
    attempts: 0,
    stepSince: now,
    intentAt: null,
    failure: null,
    byDns: false,
    byHand: false,
    isRenewal: false,
  },
  ...state,
});
const to = (step: OrderState['step'], inMs = 0, attempts = 0): Decision => {
  return { kind: 'step', step, at: now + inMs, attempts };
};
const failed = (answer: Partial<Extract<StepAnswer, { kind: 'failed' }>> = {}): StepAnswer => {
  return { kind: 'failed', type: 'malformed', words: 'No.', temporary: false, retryAfterMs: null, ...answer };
};
const notYet = (retryAfterMs: number | null = null): StepAnswer => ({
  kind: 'notYet',
  words: 'Not yet.',
  retryAfterMs,
});
const answered = (status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid', words: string | null = null) =>
  ({ kind: 'order', status, words, retryAfterMs: null }) as const;
const givenUp = (words: string, why: Partial<Extract<Decision, { kind: 'failed' }>> = {}): Decision => {
  return { kind: 'failed', type: 'refused', words, temporary: false, retryAfterMs: null, ...why };
};
const off = { temporary: true, type: 'serverInternal' } as const;
const lost = { temporary: true, type: null } as const;
const noAccount = { type: 'accountDoesNotExist' } as const;

const table: readonly [name: string, Partial<OrderState>, StepAnswer, Decision][] = [
  ['what is done is followed by the next', { step: 'register' }, { kind: 'done' }, to('place')],
  ['a removed proof is the end', { step: 'clean' }, { kind: 'done' }, to('ended')],
  ['a CNAME that lacks is asked for again', { step: 'delegate' }, notYet(), to('delegate', 10_000, 1)],
  ['and again more rarely', { step: 'delegate', attempts: 9 }, notYet(), to('delegate', 60_000, 10)],
  ['Retry-After is kept', { step: 'wait' }, notYet(7_000), to('wait', 7_000, 1)],
  ['but not for ever', { step: 'wait' }, notYet(24 * hour), to('wait', 600_000, 1)],
  ['and never at once', { step: 'wait' }, notYet(0), to('wait', 1_000, 1)],
  [
    'of a first order people take their time',
    { step: 'delegate', stepSince: now - hour },
    notYet(),
    to('delegate', 10_000, 1),
  ],
  [
    'of a renewal it was there before',
    { step: 'delegate', stepSince: now - hour, isRenewal: true },
    notYet(),
    givenUp('Waited for too long. Not yet.'),
  ],
  ['a wait has an end', { step: 'wait', stepSince: now - hour }, notYet(), givenUp('Waited for too long. Not yet.')],
  [
    'a record set by hand has days',
    { step: 'check', stepSince: now - hour, byHand: true },
    notYet(),
    to('check', 2_000, 1),
  ],
  ['a step is tried again', { step: 'offer' }, failed(off), to('offer', 5_000, 1)],
  ['with growing waits', { step: 'offer', attempts: 2 }, failed(off), to('offer', 45_000, 3)],
  ['not before Retry-After', { step: 'offer' }, failed({ ...off, retryAfterMs: 60_000 }), to('offer', 60_000, 1)],
  ['so often', { step: 'offer', attempts: 5 }, failed(off), givenUp('No.', off)],
  [
    'a long pause ends the order',
    { step: 'register' },
    failed({ ...off, retryAfterMs: hour }),
    givenUp('No.', { ...off, retryAfterMs: hour }),
  ],
  ...(['check', 'wait', 'finalize', 'issue', 'store'] as const).flatMap((step): typeof table => [
    ['polls use up no retries', { step, attempts: 200 }, failed(off), to(step, 5_000, 200)],
    ['nor does a lost answer', { step, attempts: 5, stepSince: now - 31_000 }, failed(lost), to(step, 7_750, 5)],
    ['retries become rarer', { step, attempts: 9, stepSince: now - hour / 2 }, failed(off), to(step, 300_000, 9)],
    ['not before Retry-After', { step, attempts: 9 }, failed({ ...off, retryAfterMs: 60_000 }), to(step, 60_000, 9)],
    ['a refusal ends the order', { step, attempts: 9 }, failed(), givenUp('No.', { type: 'malformed' })],
  ]),
  ...(['wait', 'finalize', 'store'] as const).map((step): (typeof table)[number] => [
    'failures have as long as polls',
    { step, stepSince: now - hour },
    failed(off),
    givenUp('No.', off),
  ]),
  ['a failure while it issues', { step: 'issue', stepSince: now - 11 * hour }, failed(off), to('issue', 300_000)],
  ['for as long as polls', { step: 'issue', stepSince: now - 12 * hour }, failed(off), givenUp('No.', off)],
  ['a refusal ends the order', { step: 'finalize' }, failed(), givenUp('No.', { type: 'malformed' })],
  ['a refused order was not placed', { step: 'place', intentAt: now }, failed(off), to('place', 5_000, 1)],
  [
    'nor was one that was not sent',
    { step: 'place', intentAt: now },
    failed({ ...off, type: 'notSent' }),
    to('place', 5_000, 1),
  ],
  [
    'an unknown answer is looked for',
    { step: 'place', intentAt: now },
    failed({ ...off, type: null }),
    to('find', 5_000),
  ],
  [
    'an order that is not listed may be made',
    { step: 'find', intentAt: now - 1 },
    { kind: 'noOrder' },
    to('find', hour - 1),
  ],
  ['until the hour is over', { step: 'find', intentAt: now - hour }, { kind: 'noOrder' }, to('place', 0, 100)],
  ['twice without an answer is a failure', { step: 'place', attempts: 100 }, failed(lost), givenUp('No.', lost)],
  ['also after a refusal', { step: 'place', attempts: 102 }, failed(lost), givenUp('No.', lost)],
  ['but not once, after refusals', { step: 'place', attempts: 5 }, failed(lost), to('find', 5_000)],
  ['the second time is retried as the first', { step: 'place', attempts: 101 }, failed(off), to('place', 15_000, 102)],
  ['and as often', { step: 'place', attempts: 105 }, failed(off), givenUp('No.', off)],
  ['a found one goes on', { step: 'find', intentAt: now }, { kind: 'done' }, to('authorizations')],
  ['a search that fails is made again', { step: 'find', intentAt: now }, failed(off), to('find', 5_000, 1)],
  ['at most for the hour', { step: 'find', intentAt: now - hour }, failed(off), to('place', 0, 100)],
  ['an account that is not known yet is made', { step: 'place' }, { kind: 'noAccount' }, to('register')],
  ['an order ends with its account', { step: 'place' }, failed(noAccount), givenUp('No.', noAccount)],
  ['also where the order is looked for', { step: 'find', intentAt: now }, failed(noAccount), givenUp('No.', noAccount)],
  ['ready: the key, then the request', { step: 'authorizations' }, answered('ready'), to('key')],
  ['processing: wait', { step: 'finalize' }, answered('processing'), to('issue')],
  ['still processing: wait for longer', { step: 'issue', attempts: 1 }, answered('processing'), to('issue', 2_000, 2)],
  ['valid: fetch it', { step: 'finalize' }, answered('valid'), to('store')],
  ['invalid: why', { step: 'issue' }, answered('invalid', 'CAA forbids it.'), givenUp('CAA forbids it.')],
  ['not ready yet', { step: 'finalize' }, answered('pending'), to('finalize', 1_000, 1)],
  ['a proof that stays is tried again', { step: 'clean' }, failed(), to('clean', 5_000, 1)],
  ['and left at last', { step: 'clean', attempts: 14 }, failed(), to('ended')],
  ['a provider may be away for an hour', { step: 'clean', attempts: 13 }, failed(), to('clean', 300_000, 14)],
];

for (const [name, state, answer, expected] of table) {
  test(`${state.step}: ${name}`, () => assert.deepEqual(nextStep(order(state), answer, now), expected));
}
