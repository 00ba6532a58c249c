import { type AuditAction, auditActions } from '@waxwing/contract/management-api/audit-actions.ts';
import type { i18n as Languages, TFunction } from 'i18next';
import { codeKey } from '../../i18n/code-key.ts';

/** What the trail gives as codes, in the reader's language. */

/** The name of an action; of one that this console does not know yet, its code. */
export function actionName(t: TFunction, action: string): string {
  const known = auditActions.find((each) => each === action);
  return known === undefined ? action : t(`auditActions.${codeKey(known)}`);
}

/** All actions by their names, for a choice. */
export function actionChoices(t: TFunction): readonly { readonly value: AuditAction; readonly label: string }[] {
  return auditActions.map((value) => ({ value, label: actionName(t, value) }));
}

/** What a detail is called, and what it says. */
export function detailWords({ t, exists }: Pick<Languages, 't' | 'exists'>, name: string, value: unknown) {
  // The type of all keys does not know what the server may have recorded.
  const isKnown = /^\w+$/.test(name) && exists(`auditDetails.${name}`);
  return {
    name: isKnown ? t(`auditDetails.${name}` as 'auditDetails.name') : name,
    isKnown,
    value: valueWords(t, name, value),
  };
}

const roles = ['viewer', 'developer', 'admin', 'owner'] as const;

function valueWords(t: TFunction, name: string, value: unknown): string {
  if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
  const role = name === 'role' || name === 'former' ? roles.find((each) => each === value) : undefined;
  if (role !== undefined) return t(`roles.${role}`);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ') || '–';
  return typeof value === 'string' ? value : value === null ? '–' : JSON.stringify(value);
}

/** Kinds of things whose entries go on telling of them by their ids when they are gone. */
const lasting = ['certificate.', 'deployment.', 'management-key.', 'messaging-key.', 'private-key.'];

/** Whether what an entry is about had a name, so that without one it is gone. */
export function hadName(action: string): boolean {
  return lasting.some((kind) => action.startsWith(kind));
}
