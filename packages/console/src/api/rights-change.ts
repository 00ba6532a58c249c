import type { Me } from './me.ts';

/**
 * What became of the person between two readings: somebody else, with less to see than before, or with other rights to what
 * they see.
 */
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
