import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stdSerializers } from 'pino';
import { createTelemetry, type LogStream } from './telemetry.ts';

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6), monotonic: () => 0 };

function collector(more: Partial<LogStream> = {}) {
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(text), ...more };
  return { lines, stream };
}

function logged(write: (log: ReturnType<typeof createTelemetry>['log']) => void, format: 'json' | 'text' = 'json') {
  const { lines, stream } = collector();
  write(createTelemetry({ level: 'info', format, stream, clock, version: '1.2.3' }).log);
  return lines.join('');
}

test('a line is JSON with time, level, fields and message', () => {
  const line = logged((log) => log.info({ status: 200 }, 'handed out'));
  const expected = { level: 'info', time: '2026-01-02T03:04:05.006Z', status: 200, msg: 'handed out' };
  assert.deepEqual(JSON.parse(line), expected);
  assert.ok(line.endsWith('}\n'));
});

test('lines below the level are not written', () => {
  assert.equal(
    logged((log) => log.debug('quiet')),
    '',
  );
});

const token = 'wxd_S3cretS3cret';
const pem = '-----BEGIN PRIVATE KEY-----\nS3cretS3cret\n-----END PRIVATE KEY-----\n';

test('no way of logging shows a secret', () => {
  const text = logged((log) => {
    const failure = new Error(`refused ${token}`, { cause: new Error(pem) });
    log.info(`GET /api/certificate?key=S3cret`);
    log.info('token %s', token);
    log.info({ url: `/x?key=S3cret`, nested: { deep: [token] } }, 'seen');
    log.error(failure);
    log.error({ err: failure }, 'failed');
    log.error({ err: new AggregateError([failure], 'many') });
    log.child({ authorization: 'S3cret', note: token }).warn('child');
    log.child({}).child({ cookie: 'S3cret' }, { serializers: stdSerializers }).error(failure);
    log.info({ key: 'S3cret', pem: 'S3cret', body: Buffer.from('S3cret') });
    log.info({ pair: pem.slice(0, 40) }, pem);
    log.info({ [token]: 1 }, 'a token as a name');
  });
  assert.doesNotMatch(text, /S3cret/);
  assert.equal(text.trimEnd().split('\n').length, 11);
});

test('a line is at most 8 KiB and still JSON, with the fields that fit', () => {
  const long = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, 'x'.repeat(900)]));
  const line = logged((log) => log.info(long, 'wide'));
  assert.ok(line.length <= 8193, String(line.length));
  const record = JSON.parse(line) as Record<string, unknown>;
  assert.equal(record.level, 'info');
  assert.equal(record.msg, 'wide');
  assert.ok(Number(record.line_length) > 30_000);
});

test('text lines read well and cannot be faked by control characters', () => {
  const line = logged((log) => {
    log.warn(
      { agent: 'curl/8', path: 'a b', count: 2, evil: 'x\n2026 error forged', esc: '\u001b[2J' },
      'odd\nrequest',
    );
  }, 'text');
  const expected =
    '2026-01-02T03:04:05.006Z warn  odd\\u000arequest agent=curl/8 path="a b" count=2 ' +
    'evil="x\\n2026 error forged" esc=\\u001b[2J\n';
  assert.equal(line, expected);
});

test('text lines show the stack of an error and of its cause', () => {
  const line = logged((log) => log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed'), 'text');
  assert.match(line, /^\S+ error failed\n {4}Error: outer\n {4} +at /);
  assert.match(line, /\n {4}caused by\n {4}Error: inner\n/);
});

test('an error whose message says all shows its stack, and that of its cause, at debug only', () => {
  const down = () => Object.assign(new Error('down', { cause: new Error('refused') }), { isExplained: true });
  const errAt = (level: 'info' | 'debug') => {
    const { lines, stream } = collector();
    const { log } = createTelemetry({ level, format: 'json', stream, clock, version: '1' });
    log.child({ bound: down() }).warn({ err: down(), fault: new Error('ours') }, 'waits');
    const { err, bound, fault } = JSON.parse(lines[0] ?? '');
    assert.ok(fault.stack.includes('Error: ours'));
    assert.deepEqual([err.message, err.cause.message], ['down', 'refused']);
    return [err, err.cause, bound].map(({ stack }) => stack !== undefined);
  };
  assert.deepEqual(errAt('info'), [false, false, false]);
  assert.deepEqual(errAt('debug'), [true, true, true]);
  assert.match(
    logged((log) => log.warn({ err: down() }, 'waits'), 'text'),
    /^\S+ warn +waits\n {4}Error: down\n {4}caused by\n {4}Error: refused\n$/,
  );
});

test('auto means text on a terminal and JSON elsewhere', () => {
  for (const isTTY of [true, false]) {
    const { lines, stream } = collector({ isTTY });
    createTelemetry({ level: 'info', format: 'auto', stream, clock, version: '1' }).log.info('hello');
    assert.equal(lines[0]?.startsWith('{'), !isTTY);
  }
});

test('lines that nobody reads are dropped and counted, not kept in memory', async () => {
  const { lines, stream } = collector({ writableLength: 5 * 1024 * 1024 });
  const { log, metrics } = createTelemetry({ level: 'info', format: 'json', stream, clock, version: '1' });
  log.info('lost');
  assert.equal(lines.length, 0);
  assert.match(await metrics.metrics(), /waxwing_log_lines_dropped_total 1\n/);
});

test('a line that could not be written is counted', async () => {
  const { log, metrics } = createTelemetry({
    level: 'info',
    format: 'json',
    stream: { write: (text, done) => done(text.includes('lost') ? new Error('ENOSPC') : null) },
    clock,
    version: '1',
  });
  log.info('kept');
  log.info('lost');
  assert.match(await metrics.metrics(), /waxwing_log_lines_dropped_total 1\n/);
});

test('the metrics tell the version and the state of the process', async () => {
  const { metrics } = createTelemetry({
    level: 'info',
    format: 'json',
    stream: collector().stream,
    clock,
    version: '9',
  });
  const text = await metrics.metrics();
  assert.match(text, /waxwing_build_info\{version="9",node="\d+\.\d+\.\d+"\} 1/);
  assert.match(text, /process_resident_memory_bytes \d+/);
});
