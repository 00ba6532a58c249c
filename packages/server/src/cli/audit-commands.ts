import { accountOfEmail } from '../accounts/account-names.ts';
import type { PlacedEvent } from '../audit/audit-trail.ts';
import type { Database } from '../database/connect.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { type Command, Usage } from './command.ts';
import {
  mapped,
  moment,
  momentText,
  newestFirstOptions,
  nextPage,
  present,
  readLimit,
  since,
} from './option-values.ts';
import { textTable } from './text-table.ts';

interface Entry {
  readonly link: number;
  readonly at: string;
  readonly organization_id: string | null;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: unknown;
}

interface Filters {
  readonly subject?: string;
  readonly actor?: string;
  readonly action?: string;
  /** RFC 3339. */
  readonly since?: string;
  readonly until?: string;
}

interface ListInput {
  readonly organizationId?: string;
  readonly filters: Filters;
  readonly limit: number;
}

const list: Command<ListInput, readonly Entry[]> = {
  name: 'audit list',
  summary: 'List who did what, newest first',
  options: {
    organization: { type: 'string', value: 'ID', help: 'Only what concerns this organization' },
    subject: { type: 'string', value: 'ID', help: 'Only what was done to this certificate, deployment …' },
    actor: {
      type: 'string',
      value: 'WHO',
      help: 'Only what this actor did: as it is shown, or a person by email address',
    },
    action: { type: 'string', value: 'ACTION', help: 'Only this action, or all of a kind: "deployment." with its dot' },
    since: { type: 'string', value: 'MOMENT', help: 'Only what was done at or after this day or RFC 3339 time' },
    until: { type: 'string', value: 'MOMENT', help: 'Only what was done at or before it; a day counts to its end' },
    limit: newestFirstOptions.limit,
  },
  prepare(args) {
    return {
      limit: readLimit(args, 100),
      ...present('organizationId', args.optional('organization')),
      filters: {
        ...present('subject', args.optional('subject')),
        ...present('actor', args.optional('actor')),
        ...present('action', args.optional('action')),
        ...present('since', momentText(mapped(args, 'since', since)) ?? undefined),
        ...present('until', momentText(mapped(args, 'until', moment)) ?? undefined),
      },
    };
  },
  async run({ audit, database }, { organizationId, filters, limit }) {
    const { since, until, ...others } = filters;
    const actor = filters.actor === undefined ? undefined : await actorOf(database, filters.actor);
    if (actor === null) return [];
    const search = {
      ...others,
      actor,
      organizationId,
      since: since === undefined ? undefined : Date.parse(since),
      until: until === undefined ? undefined : Date.parse(until),
    };
    const events: PlacedEvent[] = [];
    let before: PlacedEvent | undefined;
    do {
      const { rows, reached } = await audit.search({ ...search, before, limit: limit - events.length });
      events.push(...rows);
      before = reached;
    } while (before !== undefined && events.length < limit);
    return events.map((event) => ({
      link: event.link,
      at: toRfc3339(event.at),
      organization_id: event.organizationId === '' ? null : event.organizationId,
      actor: event.actor,
      action: event.action,
      subject: event.subject,
      detail: JSON.parse(event.detail),
    }));
  },
  remote: (server, { organizationId, filters, limit }) =>
    organizationId === undefined
      ? server.list('listInstanceAudit', { query: filters }, { limit })
      : server.list('listAudit', { params: { organization_id: organizationId }, query: filters }, { limit }),
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
    ) +
    nextPage(
      entries,
      readLimit(args, 100),
      ({ at }) => `--until ${at} (what was done in that very moment comes again)`,
    ),
};

/** As the trail has it; people by their email address as well, as the management API finds them. Null: nobody has it. */
async function actorOf({ db }: Pick<Database, 'db'>, actor: string): Promise<string | null> {
  if (!actor.includes('@') || actor.includes(':')) return actor;
  const accountId = await accountOfEmail(db, actor, undefined);
  return accountId === undefined ? null : `account:${accountId}`;
}

interface Head {
  readonly link: number;
  readonly mac: string;
}

interface Verdict {
  readonly ok: boolean;
  readonly faults: readonly {
    readonly link: number;
    readonly code: string;
    readonly reason: string;
    readonly parameters: Readonly<Record<string, string | number>>;
  }[];
  readonly head: Head;
  readonly links: number;
  readonly entries: number;
  readonly pruned_days: number;
}

const verify: Command<{ readonly head?: Head }, Verdict> = {
  name: 'audit verify',
  summary: 'Recompute the audit chain: finds any entry changed, removed, inserted or cut off',
  options: {
    head: { type: 'string', value: 'LINK:MAC', help: 'A head noted earlier, which the chain must still pass through' },
  },
  notes: 'Keep the head it prints in another place: only with it is a database noticed that was set back as a whole.',
  prepare(args) {
    const head = args.optional('head');
    return head === undefined ? {} : { head: parseHead(head) };
  },
  async run(application, { head }) {
    const { prunedDays, ...verdict } = await application.audit.verify(head);
    return { ok: verdict.faults.length === 0, ...verdict, pruned_days: prunedDays };
  },
  remote: (server, { head }) => server.call('verifyAudit', { body: present('head', head) }),
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

function parseHead(text: string): Head {
  const [, link, mac] = /^(\d{1,15}):([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (link === undefined || mac === undefined) {
    throw new Usage('--head must be as "audit verify" prints it: a number, a colon and 64 hexadecimal digits.');
  }
  return { link: Number(link), mac: mac.toLowerCase() };
}

export const auditCommands: readonly Command[] = [list, verify];
