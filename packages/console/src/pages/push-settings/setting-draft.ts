import type { PushSetting } from '../../api/shown-pushes.ts';

/** A push setting that is being edited. Pure. */
export interface SettingDraft {
  readonly enabled: boolean;
  /** Empty: none yet. */
  readonly url: string;
  /** Null while the field is empty; so are the others. */
  readonly timeout_seconds: number | null;
  readonly retries: number | null;
  readonly concurrency: number | null;
}
export type DraftField = keyof SettingDraft;

export const numberFields = ['timeout_seconds', 'retries', 'concurrency'] as const;
const fields = ['enabled', 'url', ...numberFields] as const;

export function draftOf({ enabled, url, timeout_seconds, retries, concurrency }: PushSetting): SettingDraft {
  return { enabled, url: url ?? '', timeout_seconds, retries, concurrency };
}

/** The fields in which the two differ. */
export function changedFields(one: SettingDraft, other: SettingDraft): readonly DraftField[] {
  return fields.filter((field) => one[field] !== other[field]);
}

/** The fields that a draft changes, as the operation takes them; undefined while one of them is empty. */
export function updateOf(base: SettingDraft, draft: SettingDraft) {
  const entries = changedFields(base, draft).map((field) => [field, draft[field]] as const);
  if (entries.some(([, value]) => value === null || value === '')) return undefined;
  return Object.fromEntries(entries) as { readonly [Field in DraftField]?: NonNullable<SettingDraft[Field]> };
}

/** The changes of the draft since `base`, on top of the latest state. */
export function rebased(draft: SettingDraft, base: SettingDraft, latest: SettingDraft): SettingDraft {
  return { ...latest, ...Object.fromEntries(changedFields(base, draft).map((field) => [field, draft[field]])) };
}

/** The fields that somebody else has changed and the draft would change back. */
export function conflictsOf(draft: SettingDraft, base: SettingDraft, latest: SettingDraft): readonly DraftField[] {
  return changedFields(base, latest).filter((field) => latest[field] !== draft[field]);
}
