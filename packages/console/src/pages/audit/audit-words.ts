import { type AuditAction, auditActions } from '@waxwing/contract/management-api/audit-actions.ts';
import type { i18n as Languages, TFunction } from 'i18next';
import { codeKey } from '../../i18n/code-key.ts';

/** The codes of the audit trail in the reader's language. */

/** The name of an action; the code of one that this console does not know. */
export function actionName(t: TFunction, action: string): string {
  const known = auditActions.find((each) => each === action);
  return known === undefined ? action : t(`auditActions.${codeKey(known)}`);
}

export function actionChoices(t: TFunction): readonly { readonly value: AuditAction; readonly label: string }[] {
  return auditActions.map((value) => ({ value, label: actionName(t, value) }));
}

export function detailWords({ t, exists }: Pick<Languages, 't' | 'exists'>, name: string, value: unknown) {
  // The type of all keys does not know the server's names.
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

/** Kinds of subjects that had a name while they existed. */
const lasting = ['certificate.', 'deployment.', 'management-key.', 'messaging-key.', 'private-key.'];

/** Whether the subject had a name. If so, an entry without one is about something deleted. */
export function hadName(action: string): boolean {
  return lasting.some((kind) => action.startsWith(kind));
}
