import type { Me } from './me.ts';

/** The difference between two readings: another person, fewer organizations, or other rights to the same ones. */
export type RightsChange = 'none' | 'other-person' | 'less' | 'other-rights';

/** Compares two readings of who is signed in. */
export function rightsChange(former: Me, now: Me): RightsChange {
  if (former.id !== now.id) return 'other-person';
  const roles = new Map(now.organizations.map(({ id, role }) => [id, role]));
  const isLess = former.operator || former.organizations.some(({ id }) => !roles.has(id));
  if (isLess && !now.operator) return 'less';
  const isSame =
    former.operator === now.operator &&
    former.organizations.length === roles.size &&
    former.organizations.every(({ id, role }) => roles.get(id) === role);
  return isSame ? 'none' : 'other-rights';
}
