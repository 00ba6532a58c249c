import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../arguments.ts';
import type { ApiServer } from '../exchange/api-server.ts';
import { fakeTerminal } from '../terminal.testing.ts';
import { certificateRequestCommands } from './certificate-request-commands.ts';

const delegation = { name: '_acme-challenge.a.example', target: 'x.acme.test', seen: null, looked_at: null };
const step = { step: 'present', state: 'done', at: '2030-01-01T00:00:00Z' };
const pending = { id: 'c', organization_id: 'o', name: 'a', state: 'pending', current_version: null, renewal: null };

/** @param answers what `certificate show` says, one after the other */
async function waitFor(words: readonly string[], answers: readonly object[]) {
  const [first, ...others] = answers.map((answer) => ({ ...pending, delegation: [], progress: [], ...answer }));
  const shown = others.values();
  const server = {
    probe: async () => ({}),
    list: async () => [{ id: 'c', organization_id: 'o', name: 'a' }],
    call: async (id: string) => (id === 'showCertificate' ? shown.next().value : first),
  } as unknown as ApiServer;
  const line = parseCommandLine(['certificate', ...words, '--wait'], certificateRequestCommands);
  assert.ok(line.kind === 'command');
  const command = certificateRequestCommands.find(({ name }) => name === line.command.name);
  const terminal = fakeTerminal('/');
  const place = { terminal, settings: {} as never, confirm: async () => {} };
  const answer = await command?.call(server, line.args, place);
  return { answer: answer as { result?: string }, ...terminal.written };
}

const organization = '00000000-0000-7000-8000-000000000001';
const request = ['request', '--organization', organization, '--authority', 'ca', '--domain', 'a.example'];

test('--wait writes each CNAME and each record that a person sets once, beside stdout', async () => {
  const byHand = { ...step, domain: 'a.example', words: 'Set the TXT record _acme-challenge.a.example to abc' };
  const { answer, out, err } = await waitFor(request, [
    { delegation: [delegation] },
    { delegation: [{ ...delegation, seen: false }], progress: [byHand] },
    { delegation: [{ ...delegation, seen: true }], progress: [byHand], state: 'issued', current_version: 'v' },
  ]);
  assert.deepEqual([answer.result, out], ['issued', '']);
  assert.equal(
    err,
    'Set these CNAME records:\n  _acme-challenge.a.example. CNAME x.acme.test.\n' +
      'a.example: Set the TXT record _acme-challenge.a.example to abc\n',
  );
});
