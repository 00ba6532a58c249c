/** Who may do what: one table, and one question to it. Pure. */
import {
  type Action,
  actions,
  type Least,
  type Role,
  roleSuffices,
  roles,
} from '@waxwing/contract/management-api/action-roles.ts';
import type { Actor } from './actor.ts';

export { type Action, actions, type Least, type Role, roles };

export interface Question {
  readonly action: string;
  /** Whose thing it is about; undefined for what belongs to the instance or to the actor. */
  readonly organizationId?: string | undefined;
  /** Whether it needs a sign-in or re-authentication of the last five minutes; `people`: of people alone. */
  readonly fresh?: boolean | 'people' | undefined;
}

export type Verdict =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      /** `not_a_member`: it must look as if the thing did not exist. */
      readonly why: 'unauthenticated' | 'not_a_member' | 'role' | 'fresh';
    };

/** How long a sign-in or re-authentication counts as fresh, milliseconds. */
export const freshMs = 5 * 60_000;

const allowed: Verdict = { allowed: true };
const refused = (why: (Verdict & { allowed: false })['why']): Verdict => ({ allowed: false, why });

/** @param now epoch milliseconds */
export function may(actor: Actor | undefined, question: Question, now: number): Verdict {
  const least = Object.hasOwn(actions, question.action) ? actions[question.action as Action] : undefined;
  if (least === 'public') return allowed;
  if (actor === undefined) return refused('unauthenticated');
  const role = roleOf(actor, question.organizationId);
  if (role === undefined) return refused('not_a_member');
  if (least === undefined || !suffices(actor, role, least)) return refused('role');
  const { fresh = false } = question;
  if (fresh === false) return allowed;
  // A key proves nobody's presence.
  if (actor.kind === 'key') return fresh === 'people' ? allowed : refused('role');
  return now - actor.authenticatedAt <= freshMs ? allowed : refused('fresh');
}

/** What the actor is there; undefined for no member of the organization. */
function roleOf(actor: Actor, organizationId: string | undefined): Role | 'operator' | 'nobody' | undefined {
  if (actor.kind === 'key') {
    if (actor.organizationId === '') return 'operator';
    if (organizationId === undefined) return 'nobody';
    return actor.organizationId === organizationId && actor.role !== 'operator' ? actor.role : undefined;
  }
  if (actor.operator) return 'operator';
  return organizationId === undefined ? 'nobody' : actor.memberships.get(organizationId);
}

function suffices(actor: Actor, role: Role | 'operator' | 'nobody', least: Least): boolean {
  if (least === 'anyone') return true;
  if (least === 'person') return actor.kind === 'account';
  return role !== 'nobody' && least !== 'public' && roleSuffices(role, least);
}
