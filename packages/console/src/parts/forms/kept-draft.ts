/**
 * The content of a form that was open when the session ended, or that one page prepares for another. It is kept in this
 * tab only. Forms with a secret are never kept.
 */

const key = 'waxwing.draft';

/** A form on the screen. */
interface Writing {
  /** The path of its page. */
  readonly page: string;
  readonly read: () => object;
}

interface Draft {
  readonly page: string;
  readonly personId: string;
  readonly values: object;
}

let writing: Writing | undefined;

/** Watches over a form, whose content would be lost with the session. @returns ends the watch */
export function watchDraft(form: Writing): () => void {
  writing = form;
  return () => {
    if (writing === form) writing = undefined;
  };
}

/** Keeps the content of the watched form for the person who wrote it: the session has ended. */
export function keepDraft(personId: string | undefined, storage: Pick<Storage, 'setItem'> = sessionStorage): void {
  if (writing === undefined || personId === undefined) return;
  const { page, read } = writing;
  offerDraft({ page, personId, values: read() }, storage);
}

/** Prepares the content of a form on another page. */
export function offerDraft(draft: Draft, storage: Pick<Storage, 'setItem'> = sessionStorage): void {
  storage.setItem(key, JSON.stringify(draft));
}

/** Takes the draft of this person for this page. A draft for another person or page is dropped. */
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
