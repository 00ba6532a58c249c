import { useMemo, useState } from 'react';
import type { Tagged } from '../../api/call.ts';
import type { PushSetting } from '../../api/shown-pushes.ts';
import { changedFields, conflictsOf, type DraftField, draftOf, rebased, type SettingDraft } from './setting-draft.ts';

export interface SettingDraftState {
  readonly draft: SettingDraft;
  /** The state that the draft began with, and its ETag. */
  readonly base: { readonly draft: SettingDraft; readonly etag: string };
  readonly latest: SettingDraft;
  readonly isChanged: boolean;
  /** Changes by somebody else that saving the draft would undo. */
  readonly conflicts: readonly DraftField[];
  change(part: Partial<SettingDraft>): void;
  /** Continues from the latest state, with the person's own changes on top or without them. */
  goOn(withMine: boolean): void;
  /** The draft is being saved: a setting equal to it is not a change by somebody else. */
  noteSent(): void;
  forgetSent(): void;
}

/** A draft that follows the setting until a change by somebody else conflicts with it. */
export function useSettingDraft({ value, etag }: Tagged<PushSetting>): SettingDraftState {
  const latest = useMemo(() => ({ draft: draftOf(value), etag }), [value, etag]);
  const [base, setBase] = useState(latest);
  const [draft, setDraft] = useState(latest.draft);
  const [sent, setSent] = useState<SettingDraft>();
  const isChanged = changedFields(base.draft, draft).length > 0;
  const conflicts = isChanged ? conflictsOf(draft, base.draft, latest.draft) : [];

  function goOn(withMine: boolean): void {
    setBase(latest);
    setDraft(withMine ? rebased(draft, base.draft, latest.draft) : latest.draft);
  }
  if (base.etag !== latest.etag) {
    if (sent !== undefined && changedFields(sent, latest.draft).length === 0) {
      setSent(undefined);
      setBase(latest);
      setDraft(rebased(draft, sent, latest.draft));
    } else if (conflicts.length === 0) goOn(true);
  }

  return {
    draft,
    base,
    latest: latest.draft,
    isChanged,
    conflicts,
    change: (part) => setDraft({ ...draft, ...part }),
    goOn,
    noteSent: () => setSent(draft),
    forgetSent: () => setSent(undefined),
  };
}
