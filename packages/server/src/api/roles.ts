/** The decision about who may do what. Pure. */
import {
  type Action,
  actions,
  type Least,
  type Role,
  roleSuffices,
  roles,
} from '@waxwing/contract/management-api/action-roles.ts';
import { type Actor, runsInstance } from './actor.ts';

export { type Action, actions, type Least, type Role, roles };

export interface Question {
  readonly action: string;
  /** The organization of the thing; undefined for things of the instance or of the actor. */
  readonly organizationId?: string | undefined;
  /** Whether it needs a sign-in of the last five minutes; `people`: for people only. */
  readonly fresh?: boolean | 'people' | undefined;
}

export type Verdict =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      /** `not_a_member` is answered as if the thing did not exist. */
      readonly why: 'unauthenticated' | 'not_a_member' | 'role' | 'fresh';
    };

/** How long a sign-in counts as fresh. */
export const freshMs = 5 * 60_000;

const allowed: Verdict = { allowed: true };
const refused = (why: (Verdict & { allowed: false })['why']): Verdict => ({ allowed: false, why });

export function may(actor: Actor | undefined, question: Question, now: number): Verdict {
  const least = Object.hasOwn(actions, question.action) ? actions[question.action as Action] : undefined;
  if (least === 'public') return allowed;
  if (actor === undefined) return refused('unauthenticated');
  const role = roleOf(actor, question.organizationId);
  if (role === undefined) return refused('not_a_member');
  if (least === undefined || !suffices(actor, role, least)) return refused('role');
  const { fresh = false } = question;
  // Who has the machine can do anything with what is on it.
  if (fresh === false || actor.kind === 'cli') return allowed;
  // A key cannot confirm an identity.
  if (actor.kind === 'key') return fresh === 'people' ? allowed : refused('role');
  return now - actor.authenticatedAt <= freshMs ? allowed : refused('fresh');
}

/** Undefined for a non-member. */
function roleOf(actor: Actor, organizationId: string | undefined): Role | 'operator' | 'nobody' | undefined {
  if (actor.kind === 'cli' || runsInstance(actor)) return 'operator';
  if (actor.kind === 'key') {
    if (organizationId === undefined) return 'nobody';
    return actor.organizationId === organizationId && actor.role !== 'operator' ? actor.role : undefined;
  }
  return organizationId === undefined ? 'nobody' : actor.memberships.get(organizationId);
}

function suffices(actor: Actor, role: Role | 'operator' | 'nobody', least: Least): boolean {
  if (least === 'anyone') return true;
  if (least === 'person') return actor.kind === 'account';
  return role !== 'nobody' && least !== 'public' && roleSuffices(role, least);
}
