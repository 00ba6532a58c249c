import { type Role, roles } from '../../api/roles.ts';

/** What a value of the role claim gives: a role in an organization, or the running of the instance. */
export type SsoGrant =
  | { readonly kind: 'operator' }
  | { readonly kind: 'member'; readonly organizationId: string; readonly role: Role };

export interface SsoRule {
  /** The value of the claim. */
  readonly value: string;
  readonly grant: SsoGrant;
}

export interface SsoGrants {
  readonly operator: boolean;
  /** The highest role in each organization. */
  readonly roles: ReadonlyMap<string, Role>;
}

/**
 * Reads `VALUE=operator` or `VALUE=ORGANIZATION_ID/ROLE`; the value may hold `=` itself.
 * @returns undefined when it is neither
 */
export function parseSsoRule(text: string): SsoRule | undefined {
  const [, value = '', grant = ''] = /^(.+)=([^=]+)$/.exec(text.trim()) ?? [];
  if (grant === 'operator') return { value, grant: { kind: 'operator' } };
  const [, organizationId, role] = /^([0-9A-Za-z_-]{1,64})\/([a-z]+)$/.exec(grant) ?? [];
  if (organizationId === undefined || !isRole(role)) return undefined;
  return { value, grant: { kind: 'member', organizationId, role } };
}

/** @param claim of the ID token: a text, or a list of them; anything else gives nothing */
export function grantsOf(claim: unknown, rules: readonly SsoRule[]): SsoGrants {
  const values = new Set((Array.isArray(claim) ? claim : [claim]).filter((value) => typeof value === 'string'));
  const granted = rules.filter(({ value }) => values.has(value)).map(({ grant }) => grant);
  const byOrganization = new Map<string, Role>();
  for (const grant of granted) {
    if (grant.kind !== 'member') continue;
    const present = byOrganization.get(grant.organizationId);
    if (present === undefined || roles.indexOf(grant.role) > roles.indexOf(present)) {
      byOrganization.set(grant.organizationId, grant.role);
    }
  }
  return { operator: granted.some(({ kind }) => kind === 'operator'), roles: byOrganization };
}

/**
 * When the provider last asked the person to sign in, epoch milliseconds; never in the future, whatever its clock says.
 * @param claim `auth_time` of the ID token, seconds
 * @returns 0 without the claim
 */
export function authenticatedAt(claim: unknown, now: number): number {
  return typeof claim === 'number' && claim > 0 ? Math.min(now, Math.floor(claim * 1000)) : 0;
}

/** Whether a mail address may sign in: its domain is one of those named, exactly. */
export function isAllowedDomain(email: string, domains: readonly string[]): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domains.some((allowed) => allowed.toLowerCase() === domain);
}

function isRole(text: string | undefined): text is Role {
  return (roles as readonly string[]).includes(text ?? '');
}
