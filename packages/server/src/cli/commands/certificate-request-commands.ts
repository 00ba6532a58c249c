import { Problem } from '../../runtime/problem.ts';
import { never, wait } from '../../runtime/wait.ts';
import { type Arguments, type Command, type Option, type Place, Usage } from '../command.ts';
import type { ApiAnswer, ApiServer } from '../exchange/api-server.ts';
import { listed, mapped, oneOf, organizationOption, ownerOption, present } from '../option-values.ts';
import { plainText, textFacts, textTable } from '../text-table.ts';
import { certificateId, type Details, delegationLines, showOne } from './certificate-commands.ts';
import { find, organizationOf } from './find-thing.ts';

/** With `--wait`: what has come of it. */
type Requested = Details & { readonly result?: 'issued' | 'failed' };

const challenges = ['http-01', 'tls-alpn-01', 'dns-01'] as const;
const keys = ['ec256', 'ec384', 'rsa2048', 'rsa3072', 'rsa4096'] as const;
const waitOption: Option = { type: 'boolean', help: 'Wait until it is issued; the exit code is 1 when it fails' };
const lookEveryMs = 1_000;

const request: Command<Requested> = {
  name: 'certificate request',
  summary: 'Request a certificate from an authority; it is renewed by itself from then on',
  options: {
    organization: { ...organizationOption, help: 'The organization that owns it' },
    authority: {
      type: 'string',
      required: true,
      multiple: true,
      value: 'A[,B]',
      help: 'The authority; the next one is tried when the one before fails',
    },
    domain: { type: 'string', required: true, multiple: true, value: 'D', help: 'A name; *.example.com needs dns-01' },
    name: { type: 'string', value: 'N', help: 'Its name; its first domain if left out' },
    challenge: { type: 'string', value: 'KIND', help: `How names are proved: ${challenges.join(', ')}` },
    'dns-provider': { type: 'string', value: 'ID', help: 'Sets the records of dns-01; left out, a CNAME does' },
    key: { type: 'string', value: 'KIND', help: `Its private key: ${keys.join(', ')}; ec256 if left out` },
    'keep-key': { type: 'boolean', help: 'Renewals have the same private key' },
    profile: { type: 'string', value: 'P', help: 'Of the certificate, as the authority names it' },
    wait: waitOption,
  },
  notes:
    'A request that cannot succeed is refused at once. With dns-01 and no provider the answer shows the CNAME records to\n' +
    'set; the request goes on by itself once they are there. "certificate progress" shows how far it is. --wait writes what\n' +
    'has to be set to stderr.',
  async call(server, args, where) {
    const body = {
      authorities: [...listed(args, 'authority')],
      domains: [...listed(args, 'domain')],
      ...present('name', args.optional('name')),
      ...present(
        'challenge',
        mapped(args, 'challenge', (option, text) => oneOf(option, text, challenges)),
      ),
      ...present('dns_provider', args.optional('dns-provider')),
      ...present(
        'key',
        mapped(args, 'key', (option, text) => oneOf(option, text, keys)),
      ),
      ...(args.flag('keep-key') && { keep_key: true }),
      ...present('profile', args.optional('profile')),
    };
    if (body.authorities.includes('') || body.domains.includes('')) throw new Usage('A name is empty.', this.name);
    await requireWorker(server, args);
    const params = { organization_id: await organizationOf(server, args) };
    const made = await server.call('requestCertificate', { params, body });
    return args.flag('wait') ? awaitResult(server, made, null, where) : made;
  },
  print: (answer, args) => showOne.print(answer, args),
  isFailure: ({ result }) => result === 'failed',
};

const renew: Command<Requested> = {
  name: 'certificate renew',
  summary: 'Renew a certificate now that was requested here',
  positionals: [certificateId],
  options: { wait: waitOption, organization: ownerOption },
  async call(server, args, where) {
    const params = await find(server, 'certificate', args);
    await requireWorker(server, args);
    const { current_version } = await server.call('showCertificate', { params });
    const begun = await server.call('renewCertificate', { params });
    return args.flag('wait') ? awaitResult(server, begun, current_version, where) : begun;
  },
  print: request.print,
  isFailure: ({ result }) => result === 'failed',
};

const again: Command<Details> = {
  name: 'certificate request-again',
  summary: 'Go on with a request now: look at what it waits for, or begin anew after a failure',
  positionals: [certificateId],
  options: { organization: ownerOption },
  call: async (server, args) =>
    server.call('requestCertificateAgain', { params: await find(server, 'certificate', args) }),
  print: showOne.print,
};

const progress: Command<ApiAnswer<'showIssuanceProgress'>> = {
  name: 'certificate progress',
  summary: 'Show the steps of the latest order of a certificate',
  positionals: [certificateId],
  options: { organization: ownerOption },
  call: async (server, args) =>
    server.call('showIssuanceProgress', { params: await find(server, 'certificate', args) }),
  print: ({ id, state, step, next_at, error, progress: steps }) =>
    [
      textFacts({
        id,
        state,
        ...present('step', step ?? undefined),
        ...present('next look', next_at ?? undefined),
        ...present('error', error ?? undefined),
      }),
      '',
      textTable(
        steps,
        {
          AT: ({ at }) => at,
          STEP: (line) => line.step,
          STATE: (line) => line.state,
          DOMAIN: ({ domain }) => domain ?? '',
          WORDS: ({ words }) => words ?? '',
        },
        'No order has been made for it.',
      ),
    ].join('\n'),
};

/** Only a server issues: without one `--wait` would wait for ever. */
async function requireWorker(server: ApiServer, args: Arguments): Promise<void> {
  if (!args.flag('wait') || (await server.probe()) !== undefined) return;
  throw new Problem('service_unavailable', {
    detail: 'No server runs here, and only a server issues certificates. Start it, or leave out --wait.',
  });
}

/** @param former the version before; null: there was none */
async function awaitResult(
  server: ApiServer,
  begun: Details,
  former: string | null,
  { terminal }: Pick<Place, 'terminal'>,
): Promise<Requested> {
  const params = { organization_id: begun.organization_id, certificate_id: begun.id };
  const told = new Set<string>();
  for (let shown = begun; ; shown = await server.call('showCertificate', { params })) {
    const news = awaitedLines(shown).filter((line) => !told.has(line));
    for (const line of news) told.add(line);
    // Stdout is the answer's, which may be JSON.
    if (news.length > 0) terminal.stderr.write(`${news.join('\n')}\n`);
    if (shown.current_version !== null && shown.current_version !== former) return { ...shown, result: 'issued' };
    if (shown.state === 'failed' || shown.state === 'revoked') return { ...shown, result: 'failed' };
    // While an authority of the list has not had its turn, the next order begins at once.
    const { state, next_at } = shown.renewal ?? {};
    const isSoon = next_at != null && Date.parse(next_at) <= Date.now() + 2 * lookEveryMs;
    if (former !== null && state !== 'running' && !isSoon) return { ...shown, result: 'failed' };
    await wait(lookEveryMs, never);
  }
}

/** What somebody has to set before the order goes on. */
function awaitedLines(shown: Details): string[] {
  const presented = shown.progress.filter(({ step, state }) => step === 'present' && state !== 'failed');
  const records = presented.flatMap(({ domain, words }) =>
    words === null ? [] : [`${domain ?? shown.name}: ${words}`],
  );
  return [...delegationLines(shown), ...records.map(plainText)];
}

export const certificateRequestCommands: readonly Command[] = [request, renew, progress, again];
