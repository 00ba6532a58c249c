import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem, type ProblemCode, problems } from '../runtime/problem.ts';
import { errorAnswer, renderingFor, toProblem } from './error-handler.ts';

const now = 1_767_323_045_999;

test('each problem is an envelope of exactly three fields, in order, with its code beside it', () => {
  for (const [code, { status, message }] of Object.entries(problems)) {
    const answer = errorAnswer(new Problem(code as ProblemCode, { detail: 'not in the envelope' }), 'envelope', now);
    assert.equal(answer.status, status);
    assert.equal(answer.body, `{"status":"error","message":"${message}","timestamp":1767323045}`);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['error-code'], code);
    assert.equal(answer.headers['retry-after'], status === 429 || status === 503 ? '1' : undefined);
    assert.equal('www-authenticate' in answer.headers, status === 401);
  }
});

test('problem+json tells people and programs what to do', () => {
  const faults = [{ field: 'allow[0]', message: 'Write an address.' }];
  const problem = new Problem('invalid_parameter', { field: 'allow', detail: 'Write an address.', faults });
  const answer = errorAnswer(problem, 'problem+json', now);
  assert.equal(answer.headers['error-field'], 'allow');
  assert.deepEqual(JSON.parse(answer.body), {
    title: 'Bad Request',
    status: 400,
    detail: 'Write an address.',
    code: 'invalid_parameter',
    field: 'allow',
    faults,
  });
});

test('problem+json says by which reason, and with which values, its sentence is to be told in another language', () => {
  const documentOf = (problem: Problem) => JSON.parse(errorAnswer(problem, 'problem+json', now).body);
  const detail = 'At most 20.';
  const { reason, parameters } = documentOf(
    new Problem('conflict', { reason: 'too_many', parameters: { most: 20 }, detail }),
  );
  assert.deepEqual([reason, parameters], ['too_many', { most: 20 }]);
  const bare = documentOf(new Problem('conflict', { reason: 'last_owner', parameters: {}, detail }));
  assert.deepEqual([bare.reason, 'parameters' in bare], ['last_owner', false]);
});

test('nothing of an unexpected fault is told', () => {
  for (const thrown of [
    new Error('inner'),
    'inner',
    undefined,
    null,
    Object.assign(new Error('inner'), { code: 'E' }),
  ]) {
    const problem = toProblem(thrown);
    assert.equal(problem.code, 'internal_error');
    assert.equal(problem.cause, thrown);
    assert.doesNotMatch(JSON.stringify(errorAnswer(problem, 'problem+json', now)), /inner/);
  }
  const detailed = new Problem('internal_error', { detail: 'inner' });
  assert.doesNotMatch(errorAnswer(detailed, 'problem+json', now).body, /inner/);
});

test('the envelope is for what lies below /api, but not below /api/v1', () => {
  for (const path of ['/api', '/api/', '/api/certificate', '/api/v1x', '/api/v2']) {
    assert.equal(renderingFor(path), 'envelope', path);
  }
  for (const path of ['/', '/apis', '/api/v1', '/api/v1/', '/api/v1/things', '//api', '/console/api']) {
    assert.equal(renderingFor(path), 'problem+json', path);
  }
});
