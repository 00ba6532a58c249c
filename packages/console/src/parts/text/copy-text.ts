/**
 * Copies a text. Without HTTPS there is no clipboard API, so a selection is copied instead. It must lie in the open
 * dialog, which takes the focus back from anything outside.
 * @returns whether the text was copied
 */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  const focused = document.activeElement;
  (focused?.closest('[role=dialog]') ?? document.body).append(field);
  field.focus();
  field.select();
  const isDone = document.activeElement === field && document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isDone;
}
