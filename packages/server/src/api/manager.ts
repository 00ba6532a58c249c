import { Problem } from '../runtime/problem.ts';
import type { Actor } from './actor.ts';
import { type Role, roles } from './roles.ts';

/** The actor of a change, and the highest role that they may give or take. */
export interface Manager {
  /** The audit trail's name. */
  readonly by: string;
  readonly rank: Role | 'operator';
  /** Of a person. */
  readonly accountId?: string | undefined;
}

/** @param organizationId empty for the instance */
export function managerOf({ actor, by }: { actor: Actor; by: string }, organizationId: string): Manager {
  if (actor.kind === 'cli') return { by, rank: 'operator' };
  if (actor.kind === 'key') return { by, rank: actor.role };
  const rank = actor.operator ? 'operator' : (actor.memberships.get(organizationId) ?? 'viewer');
  return { by, rank, accountId: actor.accountId };
}

/** A manager may give, take or undo only roles up to their own. @throws Problem `role_not_permitted` */
export function requireRank({ rank }: Pick<Manager, 'rank'>, role: Role | 'operator'): void {
  const order: readonly string[] = [...roles, 'operator'];
  if (order.indexOf(role) <= order.indexOf(rank)) return;
  throw new Problem('role_not_permitted', {
    field: 'role',
    detail: `The role ${rank} cannot decide about the role ${role}.`,
  });
}
