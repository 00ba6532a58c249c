import type { Probe } from '../../http/probes.ts';
import { Problem } from '../../runtime/problem.ts';
import type { Command } from '../command.ts';
import { counted } from '../confirmation.ts';
import type { ApiAnswer, ApiServer } from '../exchange/api-server.ts';
import { textFacts } from '../text-table.ts';

type Instance = ApiAnswer<'showInstance'>;

interface Status {
  /** The address of the server, or the data folder of this machine. */
  readonly at: string;
  readonly running: boolean;
  /** Null where no server runs. */
  readonly ready: boolean | null;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  /** Null where the key may not ask, or the database does not answer. */
  readonly instance: Instance | null;
  /** How many there are that one may see, up to 1000 each; null where that cannot be read. */
  readonly counts: Readonly<Record<Counted, number | null>>;
}

/** As many as one list of the command line shows. */
const most = 1000;

const lists = {
  organizations: 'listOrganizations',
  certificates: 'listCertificates',
  deployments: 'listDeployments',
  messaging_keys: 'listMessagingKeys',
} as const;
type Counted = keyof typeof lists;

export const showStatus: Command<Status> = {
  name: 'status',
  summary: 'Show whether a server runs and is ready, with its counts',
  notes: 'Exit code 1 when a server runs and is not ready. "waxwing doctor" looks at everything, and takes longer.',
  async call(server, _args, { settings }) {
    const instance = await orNull(server.call('showInstance'));
    const probe = await server.probe();
    const counts = Object.fromEntries(
      await Promise.all(
        Object.entries(lists).map(async ([name, list]) => [name, await orNull(count(server, list))] as const),
      ),
    ) as Status['counts'];
    const at = probe === undefined || !server.place.startsWith('http') ? settings.data : server.place;
    return { at, running: probe !== undefined, ...readinessOf(probe), instance, counts };
  },
  print({ at, running, ready, reasons, warnings, instance, counts }) {
    const down = instance?.workers.filter(({ state }) => state !== 'running').map(({ name }) => name) ?? [];
    const some = (name: Counted, noun: string) =>
      counts[name] === null ? 'not known' : counted(counts[name], noun, most);
    return textFacts({
      at,
      server: running ? 'runs' : 'does not run',
      ready: ready === null ? '-' : [ready ? 'yes' : 'no', ...reasons].join(', '),
      ...(warnings.length > 0 && { warnings: warnings.join(', ') }),
      ...(instance !== null && {
        version: instance.version,
        database: `${instance.database.kind}, schema ${instance.database.schema}`,
        modules: instance.modules.join(', '),
        ...(running && { nodes: instance.nodes.filter(({ alive }) => alive).length }),
        ...(down.length > 0 && { 'workers down': down.join(', ') }),
        'waiting pushes': instance.backlog.waiting_pushes,
        'open messages': instance.backlog.open_messages,
      }),
      organizations: some('organizations', 'organization'),
      certificates: some('certificates', 'certificate'),
      deployments: some('deployments', 'deployment'),
      'messaging keys': some('messaging_keys', 'messaging key'),
    });
  },
  isFailure: ({ ready }) => ready === false,
};

function readinessOf(probe: Probe | undefined): Pick<Status, 'ready' | 'reasons' | 'warnings'> {
  if (probe === undefined) return { ready: null, reasons: [], warnings: [] };
  return { ready: probe.status === 'ready', reasons: probe.reasons ?? [], warnings: probe.warnings ?? [] };
}

async function count(server: ApiServer, list: (typeof lists)[Counted]): Promise<number> {
  return (await server.list(list, {}, { limit: most })).length;
}

/** What a key may not read, a switched-off half does not serve, or a database that is away does not tell. */
const unreadable: ReadonlySet<string> = new Set(['role_not_permitted', 'route_not_found', 'service_unavailable']);

async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Problem && unreadable.has(error.code) && error.field === undefined) return null;
    throw error;
  }
}
