/**
 * What somebody was writing when their session ended, or what a page has begun for the form of another one. It is kept in
 * this tab alone. A form that takes a secret is never kept.
 */

const key = 'waxwing.draft';

/** A form that is shown. */
interface Writing {
  /** The path of its page. */
  readonly page: string;
  readonly read: () => object;
}

export interface Draft {
  readonly page: string;
  readonly personId: string;
  readonly values: object;
}

let writing: Writing | undefined;

/** From now on this form is what would be lost. @returns ends that */
export function watchDraft(form: Writing): () => void {
  writing = form;
  return () => {
    if (writing === form) writing = undefined;
  };
}

/** The session has ended: what stands in the form is kept for the person who wrote it. */
export function keepDraft(personId: string | undefined, storage: Pick<Storage, 'setItem'> = sessionStorage): void {
  if (writing === undefined || personId === undefined) return;
  const { page, read } = writing;
  offerDraft({ page, personId, values: read() }, storage);
}

/** What another page has begun for the form of this one. */
export function offerDraft(draft: Draft, storage: Pick<Storage, 'setItem'> = sessionStorage): void {
  storage.setItem(key, JSON.stringify(draft));
}

/** What was kept for this person on this page; whatever else was kept is dropped with it. */
export function takeDraft(
  { page, personId }: Omit<Draft, 'values'>,
  storage: Pick<Storage, 'getItem' | 'removeItem'> = sessionStorage,
): object | undefined {
  const kept = storage.getItem(key);
  if (kept === null) return undefined;
  storage.removeItem(key);
  const draft = JSON.parse(kept) as Draft;
  return draft.page === page && draft.personId === personId ? draft.values : undefined;
}
