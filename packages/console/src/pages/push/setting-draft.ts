import type { PushSetting } from '../../api/shown-pushes.ts';

/** What a person is about to make of a push setting. Pure. */
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

/** In which fields the one differs from the other. */
export function changedFields(one: SettingDraft, other: SettingDraft): readonly DraftField[] {
  return fields.filter((field) => one[field] !== other[field]);
}

/** The fields that a draft changes, as the operation takes them; undefined while one of them is empty. */
export function updateOf(base: SettingDraft, draft: SettingDraft) {
  const entries = changedFields(base, draft).map((field) => [field, draft[field]] as const);
  if (entries.some(([, value]) => value === null || value === '')) return undefined;
  return Object.fromEntries(entries) as { readonly [Field in DraftField]?: NonNullable<SettingDraft[Field]> };
}

/** What was changed from `base` on, on top of what somebody else has made of it meanwhile. */
export function rebased(draft: SettingDraft, base: SettingDraft, latest: SettingDraft): SettingDraft {
  return { ...latest, ...Object.fromEntries(changedFields(base, draft).map((field) => [field, draft[field]])) };
}

/** What somebody else has changed, and the draft would not keep. */
export function conflictsOf(draft: SettingDraft, base: SettingDraft, latest: SettingDraft): readonly DraftField[] {
  return changedFields(base, latest).filter((field) => latest[field] !== draft[field]);
}
