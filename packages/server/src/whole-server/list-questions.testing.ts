import { allOperations } from '@waxwing/contract/management-api/all-operations.ts';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import type { Caller } from './management-world.testing.ts';

export interface ListQuestion {
  /** The operation and the query. */
  readonly name: string;
  readonly caller: Caller;
  /** Below `/api/v1`, with the query. */
  readonly path: string;
  /** Whether it finds nothing, and so searches everything. */
  readonly findsNothing: boolean;
}

/** The values for `{…}` in paths and queries. */
export type Names = Readonly<Record<string, string>>;

/** A query that finds nothing. */
interface Vain {
  readonly vain: string;
}

const vain = (query: string): Vain => ({ vain: query });

/** The queries for each list: plain, by each filter, and by filters that together make another database query. */
const queries: Readonly<Record<string, readonly (string | Vain)[]>> = {
  listSessions: [''],
  listOrganizations: ['', 'search=organization+77', vain('search=no-such-name')],
  listMembers: [''],
  listInvitations: [''],
  listAccounts: ['', 'email=person77@example.com', vain('email=nobody@example.com'), 'operator=true', 'operator=false'],
  listManagementKeys: [''],
  listInstanceManagementKeys: [''],
  listCertificates: [
    ...['', 'state=issued', 'state=revoked', vain('state=failed'), 'search=www77', 'search=certificate'],
    ...[
      vain('search=no-such-name'),
      'expires_before=2999-01-01T00:00:00Z',
      vain('expires_before=1999-01-01T00:00:00Z'),
    ],
    'state=issued&search=www7&expires_before=2999-01-01T00:00:00Z',
  ],
  listCertificateVersions: [''],
  listRenewals: ['', 'failing=true', 'since=2024-12-18T00:00:00.100Z&until=2999-01-01T00:00:00Z'],
  listDeployments: [
    ...['', 'certificate_id={certificate_id}', vain('certificate_id=none'), 'search=web', 'search=www77'],
    ...[vain('search=no-such-name'), 'outdated=true', 'outdated=false', 'outdated=true&search=web'],
  ],
  listDeploymentRefusals: [''],
  listDeploymentRetrievals: [''],
  listCertificateRetrievals: [''],
  listMessages: [
    ...['', 'status=open', 'status=REJECTED', 'status=UNDELIV', 'status=DELIVRD'],
    ...['mobile={mobile}', 'mobile={mobile}&status=open', vain('mobile={mobile}&status=DELIVRD')],
    ...['batch_id={batch_id}', vain('batch_id={batch_id}&status=UNDELIV'), vain('batch_id=none')],
    ...['accepted_since=2024-12-18T00:00:30Z', 'accepted_before=2024-12-18T00:00:30Z&status=REJECTED'],
    'mobile={mobile}&accepted_since=2024-12-18T00:00:00Z&accepted_before=2999-01-01T00:00:00Z',
  ],
  listReplies: ['', 'mobile={mobile}', vain('mobile=%2B12025550123'), 'stop=false', vain('stop=true')],
  listUnmatchedReplies: [''],
  listOptOuts: ['', 'number={mobile}', vain('number=%2B12025550123')],
  listBlockedNumbers: ['', 'number={mobile}', vain('number=%2B12025550123')],
  listBlockedWords: [''],
  listInstanceBlockedNumbers: ['', 'number={mobile}', vain('number=%2B12025550123')],
  listInstanceBlockedWords: [''],
  listMessagingKeys: [''],
  listPushSettings: [''],
  listPushes: [
    ...['', 'kind=status', 'kind=uplink', 'state=waiting', 'state=delivered', 'state=failed', 'state=off'],
    ...[
      'kind=uplink&state=waiting',
      'kind=uplink&state=failed',
      'kind=status&state=off',
      'kind=uplink&state=delivered',
    ],
    ...['since=2024-12-18T00:00:30Z', 'until=2024-12-18T00:00:30Z&state=failed'],
    ...['search=138', vain('search=no-such-batch'), vain('search=no-such-batch&state=failed')],
    'kind=status&state=off&since=2024-12-18T00:00:00Z&until=2999-01-01T00:00:00Z',
  ],
  listResends: [''],
  listCarriers: [''],
  listOrganizationRoutes: [''],
  listRoutes: [''],
  listAudit: [
    ...['', 'actor=account:8', vain('actor=nobody'), 'action=member.update', 'action=member.', vain('action=none')],
    ...['subject=s8', vain('subject=s7'), 'since=2024-12-18T00:10:00Z', 'until=2024-12-18T00:10:00Z'],
    'subject=s8&actor=account:8&action=deployment.update&since=2024-12-18T00:10:00Z&until=2999-01-01T00:00:00Z',
  ],
  listInstanceAudit: [
    ...['', 'organization_id={organization_id}', 'actor=account:7', 'action=member.', 'subject=s7'],
    ...['since=2024-12-18T00:10:00Z', 'until=2024-12-18T00:10:00Z', vain('organization_id=none')],
    ...['organization_id={organization_id}&subject=s8', 'organization_id={organization_id}&action=member.update'],
  ],
  listAlertChannels: [''],
  listInstanceAlertChannels: [''],
  listAlerts: [''],
  listInstanceAlerts: [''],
  listAuthorities: [''],
  listOfferedAuthorities: [''],
  listDnsProviders: [''],
  listMasterKeys: [''],
};

const isInstance = ({ path }: Operation): boolean => path.startsWith('/instance/') || path === '/organizations';

/** Every list of the API, by each of its filters. @throws when a list or filter has no query */
export function listQuestions(names: Names, caller: Caller): readonly ListQuestion[] {
  const callerOf = (operation: Operation) => (isInstance(operation) ? 'operator' : caller);
  const lists = allOperations.filter(({ paged }) => paged);
  const unknown = Object.keys(queries).filter((id) => !lists.some((operation) => operation.id === id));
  if (unknown.length > 0) throw new Error(`there is no list ${unknown.join(', ')}`);
  return lists.flatMap((operation) => {
    const asked = queries[operation.id];
    if (asked === undefined) throw new Error(`nobody asks for the list ${operation.id}`);
    const missing = filtersOf(operation).filter((name) => !asked.some((query) => asksBy(query, name)));
    if (missing.length > 0) throw new Error(`nobody asks for ${operation.id} by ${missing.join(', ')}`);
    return asked.map((each): ListQuestion => {
      const query = textOf(each) === '' ? '' : `?${textOf(each)}`;
      const path = (operation.path + query).replace(/\{(\w+)\}/g, (_, name: string) => nameOf(names, name));
      return {
        name: `${operation.id} ${textOf(each)}`.trim(),
        caller: callerOf(operation),
        path,
        findsNothing: typeof each !== 'string',
      };
    });
  });
}

const textOf = (query: string | Vain): string => (typeof query === 'string' ? query : query.vain);
const asksBy = (query: string | Vain, name: string): boolean => new URLSearchParams(textOf(query)).has(name);

function filtersOf({ query }: Operation): readonly string[] {
  return Object.keys(query?.properties ?? {}).filter((name) => name !== 'limit' && name !== 'cursor');
}

function nameOf(names: Names, name: string): string {
  const value = names[name];
  if (value === undefined) throw new Error(`there is no ${name} to ask for`);
  return encodeURIComponent(value);
}
