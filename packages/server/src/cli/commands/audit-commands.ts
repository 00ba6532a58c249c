import { type Command, Usage } from '../command.ts';
import type { ApiAnswer, ApiItem, ApiParts } from '../exchange/api-server.ts';
import { listPages } from '../list-pages.ts';
import { mapped, moment, momentText, onlyOfOption, present, since } from '../option-values.ts';
import { textTable } from '../text-table.ts';
import { instanceOrOrganization } from './find-thing.ts';

const latestFirst = listPages<ApiItem<'listAudit'>>({
  standard: 100,
  from: 'until',
  behind: ({ at }) => `${at} (what was done in that very moment comes again)`,
});

const list: Command<readonly ApiItem<'listAudit'>[]> = {
  name: 'audit list',
  summary: 'List who did what, newest first',
  options: {
    organization: { ...onlyOfOption, help: 'Only entries of this organization' },
    subject: { type: 'string', value: 'ID', help: 'Only entries about this certificate, deployment …' },
    actor: {
      type: 'string',
      value: 'WHO',
      help: 'Only entries of this actor: as it is shown, or a person by email address; acme is the service, which issues and renews',
    },
    action: { type: 'string', value: 'ACTION', help: 'Only this action, or all of a kind: "deployment." with its dot' },
    since: { type: 'string', value: 'MOMENT', help: 'Only entries at or after this day or RFC 3339 time' },
    until: { type: 'string', value: 'MOMENT', help: 'Only entries at or before it; a day counts to its end' },
    ...latestFirst.options,
  },
  async call(server, args) {
    const part = latestFirst.part(args);
    const query = {
      ...present('subject', args.optional('subject')),
      ...present('actor', args.optional('actor')),
      ...present('action', args.optional('action')),
      ...present('since', momentText(mapped(args, 'since', since)) ?? undefined),
      ...present('until', momentText(mapped(args, 'until', moment)) ?? undefined),
    };
    const { scope, params } = await instanceOrOrganization(server, args);
    return server.list(`list${scope}Audit`, { params, query }, part);
  },
  print: (entries, args) =>
    textTable(
      entries,
      {
        LINK: ({ link }) => link,
        AT: ({ at }) => at,
        ACTOR: ({ actor }) => actor,
        ACTION: ({ action }) => action,
        SUBJECT: ({ subject }) => subject,
        DETAIL: ({ detail }) => JSON.stringify(detail),
      },
      'Nothing is recorded.',
    ) + latestFirst.next(entries, args),
};

const verify: Command<ApiAnswer<'verifyAudit'>> = {
  name: 'audit verify',
  summary: 'Recompute the audit chain: finds any entry changed, removed, inserted or cut off',
  options: {
    head: { type: 'string', value: 'LINK:MAC', help: 'A head noted earlier, which the chain must still pass through' },
  },
  notes: 'Keep the head it prints in another place: only with it is a database noticed that was set back as a whole.',
  call: async (server, args) =>
    server.call('verifyAudit', {
      body: present(
        'head',
        mapped(args, 'head', (_, text) => parseHead(text)),
      ),
    }),
  print({ ok, faults, head, links, entries, pruned_days }) {
    const result = ok ? 'The audit trail is unbroken' : 'The audit trail is NOT unbroken';
    return [
      `${result}, up to head ${head.link}:${head.mac} (entries: ${entries}, links: ${links})`,
      ...(pruned_days === 0 ? [] : [`Days whose entries retention has removed: ${pruned_days}`]),
      ...faults.map(({ link, reason }) => `  link ${link}: ${reason}`),
    ].join('\n');
  },
  isFailure: ({ ok }) => !ok,
};

function parseHead(text: string): NonNullable<ApiParts<'verifyAudit'>['body']>['head'] & object {
  const [, link, mac] = /^(\d{1,15}):([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (link === undefined || mac === undefined) {
    throw new Usage('--head must be as "audit verify" prints it: a number, a colon and 64 hexadecimal digits.');
  }
  return { link: Number(link), mac: mac.toLowerCase() };
}

export const auditCommands: readonly Command[] = [list, verify];
