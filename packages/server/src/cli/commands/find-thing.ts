import { Problem } from '../../runtime/problem.ts';
import type { Arguments } from '../command.ts';
import type { ApiServer } from '../exchange/api-server.ts';
import { plainText } from '../text-table.ts';

/**
 * Kinds of things that people name by id, by a prefix of the id that fits no other, or by name. `idAs` is the id's name
 * in the path.
 */
const kinds = {
  certificate: { idAs: 'certificate_id', list: 'listCertificates', searches: true },
  deployment: { idAs: 'deployment_id', list: 'listDeployments', searches: true },
  'dns provider': { idAs: 'dns_provider_id', list: 'listDnsProviders', searches: false },
  'messaging key': { idAs: 'messaging_key_id', list: 'listMessagingKeys', searches: false },
} as const;

export type Kind = keyof typeof kinds;

export type PathTo<Of extends Kind> = { readonly organization_id: string | undefined } & {
  readonly [Name in (typeof kinds)[Of]['idAs']]: string;
};

export interface Named {
  readonly id: string;
  readonly name?: string;
  readonly organization_id?: string | null;
}

/** Reads a part of a list: what a search finds, or all where there is no search; or so many behind an id. */
type Read<Item> = (part: {
  readonly search?: string;
  readonly after?: string;
  readonly limit?: number;
}) => Promise<readonly Item[]>;

/** Such an id is not looked up: the operation says when there is nothing. */
export const wholeId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const beginningOfId = /^[0-9a-f][0-9a-f-]{0,35}$/;

/**
 * The path to what the command names as its ID, or by `text`.
 * @throws Problem `not_found`, or `conflict` with the candidates
 */
export async function find<Of extends Kind>(
  server: ApiServer,
  kind: Of,
  args: Arguments,
  text = args.positional('ID'),
): Promise<PathTo<Of>> {
  const { idAs } = kinds[kind];
  const organization_id = await organizationIfGiven(server, args);
  if (wholeId.test(text)) return { organization_id, [idAs]: text } as PathTo<Of>;
  const found = await pick(text, kind, readerOf(server, kind, organization_id));
  return { organization_id: found.organization_id ?? undefined, [idAs]: found.id } as PathTo<Of>;
}

function readerOf(server: ApiServer, kind: Kind, organization_id: string | undefined): Read<Named> {
  const { list, searches } = kinds[kind];
  return async ({ search, ...part }) => {
    const query = search !== undefined && searches ? { search } : {};
    return server.list(list as 'listCertificates', { params: { organization_id }, query }, part);
  };
}

/** The id of an organization. @throws Problem `not_found`, or `conflict` with the candidates */
export async function findOrganization(server: ApiServer, text: string): Promise<string> {
  if (wholeId.test(text)) return text;
  const read: Read<Named> = ({ search, ...part }) =>
    server.list('listOrganizations', { query: search === undefined ? {} : { search } }, part);
  return (await pick(text, 'organization', read)).id;
}

/** That of `--organization`, which is required. */
export function organizationOf(server: ApiServer, args: Arguments): Promise<string> {
  return findOrganization(server, args.required('organization'));
}

/** That of `--organization`, where it is given. */
export async function organizationIfGiven(server: ApiServer, args: Arguments): Promise<string | undefined> {
  return args.flag('organization') ? organizationOf(server, args) : undefined;
}

/** For pairs of operations such as `listAudit` and `listInstanceAudit`: `--organization` decides which of the two. */
export async function instanceOrOrganization(server: ApiServer, args: Arguments) {
  const organization_id = await organizationIfGiven(server, args);
  return { scope: organization_id === undefined ? 'Instance' : '', params: { organization_id } } as const;
}

/** More than anybody reads of a refusal. */
const mostCandidates = 10;

/**
 * The one thing that `text` names.
 * @param list the command that shows them
 * @throws Problem `not_found`, or `conflict` with the candidates
 */
export async function pick<Item extends Named>(
  text: string,
  kind: string,
  read: Read<Item>,
  list = `${kind.replaceAll(' ', '-')} list`,
): Promise<Item> {
  const named = (await read({ search: text })).filter(({ id, name }) => name === text || id === text);
  // Lists are in the order of ids: what begins alike stands together, behind the beginning itself.
  const mayBeginOne = named.length === 0 && beginningOfId.test(text);
  const prefixed = mayBeginOne ? (await read({ after: text, limit: mostCandidates })).filter(begins) : [];
  const [found, ...others] = [...named, ...prefixed];
  if (found === undefined) throw absent(text, kind, list);
  if (others.length > 0) throw ambiguous(text, kind, [found, ...others]);
  return found;

  function begins({ id }: Named): boolean {
    return id.startsWith(text);
  }
}

const fieldOf = (kind: string): string => kind.replaceAll(' ', '_');

function absent(text: string, kind: string, list: string): Problem {
  const detail = `There is no ${kind} ${text}. "${list}" shows those there are.`;
  return new Problem('not_found', { field: fieldOf(kind), detail });
}

function ambiguous(text: string, kind: string, all: readonly Named[]): Problem {
  const shown = all.slice(0, mostCandidates).map(({ id, name = '', organization_id }) => {
    const where = organization_id == null ? '' : ` of organization ${organization_id}`;
    return plainText(`${id} (${name}${where})`);
  });
  const detail = `${text} may be several of them. Name the ${kind} by more of its id: ${shown.join(', ')}.`;
  return new Problem('conflict', { field: fieldOf(kind), detail });
}

/** In a list that begins with the newest: the place before all ids that begin like this. */
export const beforeAllOf = (beginning: string): string => `${beginning}~`;
