import { belongsTo, type Me } from '../../api/me.ts';

const key = 'waxwing.organization';

/** The organization that the person visited last, if they may still open it. */
export function recentOrganization(me: Me): string | undefined {
  const recent = sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? undefined;
  if (recent !== undefined && belongsTo(me, recent)) return recent;
  return me.organizations[0]?.id;
}

export function rememberOrganization(id: string): void {
  // Two tabs may show two organizations. A new tab starts with the latest.
  sessionStorage.setItem(key, id);
  localStorage.setItem(key, id);
}

export function forgetOrganization(): void {
  sessionStorage.removeItem(key);
  localStorage.removeItem(key);
}
